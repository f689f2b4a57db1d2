import { EventEmitter } from "node:events"
import { makeStationInbox } from "@edp/adapter-ocpp/stationInbox"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { WebSocket } from "ws"

/** A socket that notes what is done with it. */
const makeSocket = () => {
  const done: Array<string> = []
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    isPaused: false,
    pause: () => {
      socket.isPaused = true
      done.push("pause")
    },
    resume: () => {
      if (socket.isPaused) done.push("resume")
      socket.isPaused = false
    },
    send: (text: string) => void done.push(`send ${text}`),
    ping: () => void done.push("ping"),
    close: (code: number) => void done.push(`close ${code}`),
    terminate: () => void done.push("terminate")
  })
  return { done, socket, inbox: makeStationInbox(socket as unknown as WebSocket) }
}

const say = (socket: EventEmitter, text: string) => socket.emit("message", Buffer.from(text), false)

describe("the inbox of a station", () => {
  test("does not read on while 64 messages wait, and reads on once they are fewer", async () => {
    const { done, inbox, socket } = makeSocket()
    for (let n = 0; n < 63; n++) say(socket, String(n))
    expect(done).toEqual([])
    say(socket, "63")
    expect(done).toEqual(["pause"])
    const taken = await Effect.runPromise(inbox.take(32, 1000))
    expect(taken.map((event) => event._tag === "Message" && event.text)).toEqual(
      Array.from({ length: 32 }, (_, n) => String(n))
    )
    expect(done).toEqual(["pause", "resume"])
  })

  test("cuts a station off that does not read its responses", () => {
    const { done, inbox, socket } = makeSocket()
    inbox.send(["a"])
    socket.bufferedAmount = 2_000_000
    inbox.send(["b", "c"])
    expect(done).toEqual(["send a", "terminate"])
  })

  test("disconnects a station that has not responded to the last ping", () => {
    const { done, inbox, socket } = makeSocket()
    inbox.ping()
    socket.emit("pong")
    inbox.ping()
    inbox.ping()
    expect(done).toEqual(["ping", "ping", "terminate"])
  })

  test("handles what came before the end of the socket, and nothing after it was left", async () => {
    const { inbox, socket } = makeSocket()
    say(socket, "last words")
    socket.emit("close")
    expect(inbox.isAtEnd()).toBe(false)
    expect(await Effect.runPromise(inbox.take(32, 1000))).toHaveLength(1)
    expect(inbox.isAtEnd()).toBe(true)
    const left = makeSocket()
    say(left.socket, "unheard")
    left.inbox.leave(1012, "Dial again")
    expect(left.inbox.isAtEnd()).toBe(true)
    expect(left.done).toEqual(["close 1012"])
  })
})
