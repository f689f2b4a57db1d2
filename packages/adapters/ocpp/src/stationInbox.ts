import { type Deferred, Effect, Latch } from "effect"
import { closeCodes } from "@edp/adapter-kit/inbound/closeCodes"
import type { WebSocket } from "ws"
import type { CommandOutcome, NewCommand } from "./Session.ts"

/** An event that a connection has to handle in its turn. */
export type StationEvent =
  | { readonly _tag: "Message"; readonly text: string }
  | ({ readonly _tag: "Command"; readonly result: Deferred.Deferred<CommandOutcome> } & NewCommand)
  | { readonly _tag: "Withdraw"; readonly id: string }

/** Events that wait at most before the socket is no longer read. What one packet contains comes on top. */
const PAUSE_AT = 64
/** Bytes that may wait for a station that does not read. */
const MAX_UNREAD = 1_048_576

/** The events of a station's socket, in a queue that holds the station back while it is full. */
export const makeStationInbox = (socket: WebSocket) => {
  const events: Array<StationEvent> = []
  const wake = Latch.makeUnsafe(false)
  let isClosed = false
  let hasAnswered = true

  const offer = (event: StationEvent) => {
    events.push(event)
    if (events.length >= PAUSE_AT) socket.pause()
    wake.openUnsafe()
  }
  const end = () => {
    isClosed = true
    wake.openUnsafe()
  }
  const leave = (code: number, reason: string) => {
    events.length = 0
    socket.resume()
    // Before anybody hears of the end: the first code counts.
    socket.close(code, reason)
    end()
  }

  socket
    .on("message", (data: Buffer, isBinary: boolean) => {
      if (socket.readyState !== socket.OPEN) return
      if (isBinary) leave(closeCodes.unsupportedData, "Messages must be texts")
      else offer({ _tag: "Message", text: data.toString("utf8") })
    })
    .on("pong", () => void (hasAnswered = true))
    // The event `close` follows.
    .on("error", () => {})
    .on("close", end)

  return {
    offer,
    /** Closes the socket, and leaves out what it has sent so far. */
    leave,
    /** Whether all has been handled that came before the end of the socket. */
    isAtEnd: () => isClosed && events.length === 0,
    /** At most so many events; none when the time has passed first. */
    take: (most: number, withinMs: number): Effect.Effect<ReadonlyArray<StationEvent>> =>
      Effect.suspend(() => {
        if (events.length > 0 || isClosed) return Effect.void
        wake.closeUnsafe()
        return Effect.timeoutOption(wake.await, withinMs)
      }).pipe(
        Effect.map(() => {
          const taken = events.splice(0, most)
          if (events.length < PAUSE_AT && socket.isPaused) socket.resume()
          return taken
        })
      ),
    send: (frames: ReadonlyArray<string>) => {
      for (const frame of frames) {
        if (socket.readyState !== socket.OPEN) return
        if (socket.bufferedAmount > MAX_UNREAD) return socket.terminate()
        socket.send(frame)
      }
    },
    /** Sends a ping. A station that has not answered the last one is gone. */
    ping: () => {
      if (!hasAnswered) return socket.terminate()
      hasAnswered = false
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
}
