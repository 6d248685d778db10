import './bring.js';
