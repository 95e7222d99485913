// Preloaded into the suite: its servers listen on every interface. _listen2 is where Node opens the
// socket; listen() with a host would resolve it first, and the suite wants its port at once.
const { Server } = require("net");
const open = Server.prototype._listen2;
Server.prototype._listen2 = function (address, port, family, ...rest) {
  return open.call(this, address || "127.0.0.1", port, address ? family : 4, ...rest);
};
