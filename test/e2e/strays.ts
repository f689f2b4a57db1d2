import { subscribe } from "node:diagnostics_channel"
import { EventEmitter } from "node:events"

/**
 * Loaded into a server before its own program: simulates libraries that throw where nothing catches it. It throws in a timer at
 * SIGUSR2, rejects at SIGPWR, and emits an error without a listener at SIGIO; in sockets to STRAY_PORT it throws once they are connected;
 * with STRAY_START it throws while the server starts.
 */
const { STRAY_PORT, STRAY_START } = process.env

process.on("SIGUSR2", () => {
  setTimeout(() => {
    throw new Error("thrown in a timer")
  })
})
process.on("SIGPWR", () => void Promise.reject(new Error("rejected by nobody's promise")))
process.on("SIGIO", () => {
  setTimeout(() => new EventEmitter().emit("error", new Error("emitted to nobody")))
})

if (STRAY_PORT !== undefined) {
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { readonly socket: import("node:net").Socket }
    socket.on("connect", () => {
      if (socket.remotePort === Number(STRAY_PORT)) throw new Error("thrown in a socket's callback")
    })
  })
}

if (STRAY_START !== undefined) {
  setTimeout(() => {
    throw new Error("thrown during the start")
  })
}
