import { Latch } from "effect"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import type { WebSocket } from "ws"
import type { Frame } from "./frames.ts"
import { readFrame } from "./frames.ts"

/** Messages that are taken before the connection has had its turn. What one packet contains comes on top. */
const PAUSE_AT = 64
/** Bytes that may wait for a device that does not read. */
const MAX_UNREAD = 262_144

/**
 * A device's socket. Each message is read and taken at once, so that nothing is queued; a device that sends more than its connection
 * allows is not read until it has been given a turn.
 */
export const makeDeviceSocket = (
  socket: WebSocket,
  handlers: { readonly take: (frame: Frame) => void; readonly end: () => void }
) => {
  const wake = Latch.makeUnsafe(false)
  let taken = 0
  let isClosed = false
  let hasPonged = true

  const end = () => {
    isClosed = true
    handlers.end()
    wake.openUnsafe()
  }
  const leave = (code: number, reason: string) => {
    if (isClosed) return
    end()
    socket.resume()
    socket.close(code, reason)
  }

  socket
    .on("message", (data: Buffer, isBinary: boolean) => {
      if (isClosed) return
      if (isBinary) return leave(closeCodes.unsupportedData, "Messages must be texts")
      taken += 1
      if (taken >= PAUSE_AT) socket.pause()
      handlers.take(readFrame(data.toString("utf8")))
      wake.openUnsafe()
    })
    .on("pong", () => void (hasPonged = true))
    // The event `close` follows.
    .on("error", () => {})
    .on("close", end)

  return {
    wake,
    isClosed: () => isClosed,
    /** Closes the socket; what the device sends from now on is left out. */
    leave,
    terminate: () => socket.terminate(),
    /** The messages since the last turn. */
    turn: () => {
      const count = taken
      taken = 0
      return count
    },
    hasTaken: () => taken > 0,
    /** Reads on. */
    resume: () => {
      if (socket.isPaused) socket.resume()
    },
    send: (text: string) => {
      if (isClosed || socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > MAX_UNREAD) return socket.terminate()
      socket.send(text)
    },
    /** Sends a ping. A device that has not responded to the last one is gone. */
    ping: () => {
      if (!hasPonged) return socket.terminate()
      hasPonged = false
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
export type DeviceSocket = ReturnType<typeof makeDeviceSocket>
