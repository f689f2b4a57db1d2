import { keptClients } from "@edp/server/destinations/senders/keptClients"
import { beforeEach, describe, expect, test } from "vitest"

interface Client {
  readonly name: string
  isWorn: boolean
}

let closed: Array<string>
let clients: ReturnType<typeof keptClients<Client>>
let made: number
beforeEach(() => {
  closed = []
  made = 0
  clients = keptClients({
    close: ({ name }) => closed.push(name),
    isWorn: ({ isWorn }) => isWorn,
    limit: 3,
    idleLimit: 1000
  })
})

const acquire = (id: string, now = 0, fingerprint = "a") =>
  clients.acquire(id, fingerprint, now, () => ({ name: `${id}${++made}`, isWorn: false }))

/** One use from beginning to end. */
const use = (id: string, now = 0, fingerprint = "a") => {
  const entry = acquire(id, now, fingerprint)
  clients.release(id, entry)
  return entry.client.name
}

describe("a client that is kept", () => {
  test("is used again, also by several at once", () => {
    expect([use("d"), use("d"), acquire("d").client.name, acquire("d").client.name]).toEqual(["d1", "d1", "d1", "d1"])
    expect(closed).toEqual([])
  })

  test("gives way to one for other settings, and is closed when its last user is done", () => {
    const [one, two] = [acquire("d"), acquire("d")]
    expect(use("d", 0, "b")).toBe("d2")
    clients.release("d", one)
    expect(closed).toEqual([])
    clients.release("d", two)
    expect(closed).toEqual(["d1"])
    expect(use("d", 0, "b")).toBe("d2")
  })

  test("is replaced when it is worn", () => {
    const entry = acquire("d")
    entry.client.isWorn = true
    clients.release("d", entry)
    expect(closed).toEqual(["d1"])
    expect(use("d")).toBe("d2")
  })

  test("gives way to others when there are too many, the one first that was not used for longest", () => {
    for (const [now, id] of ["a", "b", "c", "a", "d"].entries()) use(id, now)
    expect(closed).toEqual(["b2"])
  })

  test("does not give way while it is in use", () => {
    for (const [now, id] of ["a", "b", "c"].entries()) acquire(id, now)
    expect(use("d", 3)).toBe("d4")
    expect(closed).toEqual([])
  })

  test("is closed when it was not used for long", () => {
    use("a", 0)
    use("b", 500)
    acquire("c", 0)
    clients.sweep(1000)
    expect(closed).toEqual(["a1"])
  })

  test("is closed at once when it is ended, with all who use it", () => {
    const entry = acquire("d")
    clients.end("d", entry)
    expect(closed).toContain("d1")
    expect(use("d")).toBe("d2")
  })
})
