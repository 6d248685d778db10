/** @type {import('next').NextConfig} */
const config = {
  // What keeps its connections and reads its own files is not bundled.
  serverExternalPackages: ['eventferry'],
};

export default config;
