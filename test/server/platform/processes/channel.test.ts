import { type Channel, openChannel } from "@edp/server/platform/processes/channel"
import { expect, test } from "vitest"

type Peer = Parameters<typeof openChannel>[0]
type Message = Parameters<Peer["send"]>[0]

/** Two ends that pass on messages as a pipe of JSON does. */
const makePipe = () => {
  const listeners: Array<(message: Message) => void> = []
  const end = (own: number): Peer => ({
    send: (message) => queueMicrotask(() => listeners[1 - own]!(JSON.parse(JSON.stringify(message)))),
    onMessage: (listen) => void (listeners[own] = listen)
  })
  return [end(0), end(1)] as const
}

test("both ends ask, and each question gets its own response", async () => {
  const [one, other] = makePipe()
  const slow = Promise.withResolvers<string>()
  const first: Channel = openChannel(one, { double: (n: number) => n * 2, slow: () => slow.promise })
  const second = openChannel(other, { name: () => "second" })
  const late = second.ask("slow")
  expect(await Promise.all([second.ask("double", 4), second.ask("double", 5), first.ask("name")])).toEqual([
    8,
    10,
    "second"
  ])
  slow.resolve("late")
  expect(await late).toBe("late")
})

test("a question that the other end does not know gets no value", async () => {
  const [one, other] = makePipe()
  openChannel(one, {})
  expect(await openChannel(other, {}).ask("name")).toBeUndefined()
})

test("open questions end with the channel", async () => {
  const [one, other] = makePipe()
  openChannel(one, { never: () => new Promise(() => {}) })
  const channel = openChannel(other, {})
  const asked = channel.ask("never")
  channel.close()
  expect(await asked).toBeUndefined()
})
