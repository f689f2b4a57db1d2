import type { IncomingMessage, ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { refuseUnreadable } from "@edp/server/app/UnreadableRequests"
import { FrontServer } from "@edp/server/platform/http/FrontServer"
import { pipelineLimits, serverLimits } from "@edp/server/platform/http/serverLimits"
import { afterEach, describe, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { rawConversation, repliesIn } from "../../../support/rawConversation.ts"

const opened: Array<() => void> = []
afterEach(() => opened.splice(0).forEach((close) => close()))

const listen = async (handle: (request: IncomingMessage, response: ServerResponse) => void) => {
  const inFlight = { count: 0 }
  const server = new FrontServer(serverLimits, inFlight)
  const sockets: Array<Socket> = []
  server.on("request", handle).on("connection", (socket: Socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  opened.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, inFlight, sockets, port: (server.address() as AddressInfo).port }
}

/** A client that says something and reads nothing. */
const deaf = (port: number, said: string) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(said))
  socket.pause()
  socket.on("error", () => {})
  opened.push(() => socket.destroy())
  return socket
}

const get = (path: string, ...headers: ReadonlyArray<string>) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`

const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`)
const end = (response: ServerResponse, text = "") =>
  void response.writeHead(200, { "content-length": text.length }).end(text)

describe("pipelined requests", () => {
  test("are handled one at a time, and their responses are in order", async () => {
    const log: Array<string> = []
    const { port, inFlight } = await listen(({ url }, response) => {
      log.push(`begin ${url} of ${inFlight.count}`)
      setImmediate(() => {
        log.push(`end ${url}`)
        end(response, url)
      })
    })
    const asked = paths(40)
    const text = asked.map((path) => get(path)).join("") + get("/last", "Connection: close")
    const replies = repliesIn(await rawConversation(`http://127.0.0.1:${port}`, text))
    expect(replies.map((reply) => reply.text)).toEqual([...asked, "/last"])
    expect(log).toEqual([...asked, "/last"].flatMap((path) => [`begin ${path} of 1`, `end ${path}`]))
  })

  test("keep their bodies", async () => {
    const { port } = await listen(async (request, response) => {
      let body = ""
      for await (const part of request) body += part
      end(response, body)
    })
    const bodies = paths(30).map((path) => path.repeat(5000))
    const text = bodies.map((body) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    const heard = await rawConversation(`http://127.0.0.1:${port}`, ...text, get("/", "Connection: close"))
    expect(repliesIn(heard).map((reply) => reply.text)).toEqual([...bodies, ""])
  })

  test("are read only a few ahead while the first one has no response", async () => {
    let first: ServerResponse | undefined
    const { port, sockets } = await listen(({ url }, response) => {
      if (url === "/0") first = response
      else end(response, url)
    })
    const asked = paths(pipelineLimits.waiting + pipelineLimits.pausedFrom - 1)
    const client = connect(port, "127.0.0.1")
    const heard: Array<Buffer> = []
    client.on("data", (part: Buffer) => heard.push(part))
    const some = pipelineLimits.pausedFrom + 1
    client.write(
      asked
        .slice(0, some)
        .map((path) => get(path))
        .join("")
    )
    await eventually("the connection is paused", () => (sockets[0]?.isPaused() === true ? true : undefined))
    const read = sockets[0]!.bytesRead
    // Were they read, the connection would be cut.
    client.write(
      asked
        .slice(some)
        .map((path) => get(path))
        .join("") + get("/last", "Connection: close")
    )
    await new Promise((resolve) => client.once("drain", resolve).writableNeedDrain || resolve(undefined))
    expect(sockets[0]!.bytesRead).toBe(read)
    end(first!, "/0")
    await new Promise((resolve) => client.on("close", resolve))
    const texts = repliesIn(Buffer.concat(heard).toString()).map((reply) => reply.text)
    expect(texts).toEqual([...asked, "/last"])
  })

  test("are disconnected without running when there are hundreds", async () => {
    const begun: Array<string> = []
    const { port } = await listen(({ url }) => void begun.push(url!))
    const text = paths(pipelineLimits.waiting + 2)
      .map((path) => get(path))
      .join("")
    expect(await rawConversation(`http://127.0.0.1:${port}`, text)).toBe("")
    expect(begun).toEqual(["/0"])
  })

  test("are dropped with their connection", async () => {
    const begun: Array<string> = []
    const { port, sockets, inFlight } = await listen(({ url }) => void begun.push(url!))
    const client = deaf(
      port,
      paths(5)
        .map((path) => get(path))
        .join("")
    )
    await eventually("the first has begun", () => (begun.length === 1 ? true : undefined))
    expect(inFlight.count).toBe(1)
    client.destroy()
    await eventually("the server has noticed", () =>
      sockets[0]?.closed === true && inFlight.count === 0 ? true : undefined
    )
    expect(begun).toEqual(["/0"])
  })

  test("are not run after one that closes the connection", async () => {
    const begun: Array<string> = []
    const { port } = await listen(({ url }, response) => {
      begun.push(url!)
      end(response)
    })
    await rawConversation(`http://127.0.0.1:${port}`, get("/0", "Connection: close") + get("/1"))
    expect(begun).toEqual(["/0"])
  })
})

describe("a connection without progress", () => {
  const large = Buffer.alloc(30_000_000, "x")

  test("is closed when its client doesn't read its response", async () => {
    const { port, server, sockets, inFlight } = await listen((_, response) => void response.end(large))
    server.timeout = 50
    deaf(port, get("/"))
    await eventually("the connection is closed", () => (sockets[0]?.closed === true ? true : undefined))
    await eventually("no request is counted", () => (inFlight.count === 0 ? true : undefined))
  })

  test("is closed when its client doesn't read, but goes on to send what is no request", async () => {
    const { port, server, sockets, inFlight } = await listen((_, response) => void response.end(large))
    refuseUnreadable(server, () => ({}))
    server.timeout = 200
    const client = deaf(port, get("/"))
    await eventually("the response has begun", () => (inFlight.count === 1 ? true : undefined))
    await eventually("the connection is closed", () => {
      client.write("x")
      return sockets[0]?.closed === true ? true : undefined
    })
  })

  test("is kept while its response is computed", async () => {
    const { port, server, sockets } = await listen((_, response) => {
      let timeouts = 0
      server.on("timeout", () => {
        timeouts += 1
        if (timeouts === 1) end(response, "late")
      })
    })
    server.timeout = 50
    const heard = await rawConversation(`http://127.0.0.1:${port}`, get("/", "Connection: close"))
    expect(repliesIn(heard)[0]?.text).toBe("late")
    expect(sockets).toHaveLength(1)
  })

  /** Reads a response with a pause after each part. Returns its length, the time that took, and the longest time in which this process did nothing. */
  const readSlowly = async (port: number) => {
    const begun = performance.now()
    let stalled = 0
    let seen = begun
    const watch = setInterval(() => {
      stalled = Math.max(stalled, performance.now() - seen)
      seen = performance.now()
    }, 10)
    const length = await new Promise<number>((resolve) => {
      let heard = 0
      const socket = connect(port, "127.0.0.1", () => socket.write(get("/", "Connection: close")))
      socket.on("data", (part) => {
        heard += part.length
        socket.pause()
        setTimeout(() => socket.resume(), 2)
      })
      socket.on("close", () => resolve(heard))
    })
    clearInterval(watch)
    const ended = performance.now()
    return { length, took: ended - begun, stalled: Math.max(stalled, ended - seen) }
  }

  test("is kept as long as its client reads, however slowly", async () => {
    const { port, server } = await listen((_, response) => void response.end(large))
    server.timeout = 200
    // The client is in the process of the server: on a busy machine both may stand still for longer than the server waits.
    const { length, took } = await eventually("the process has not stood still", async () => {
      const read = await readSlowly(port)
      return read.stalled < server.timeout / 4 || read.length > large.length ? read : undefined
    })
    expect(length).toBeGreaterThan(large.length)
    expect(took).toBeGreaterThan(2 * server.timeout)
  })
})

describe("a server that closes", () => {
  /** Resolves when the server has closed and all its connections, too. */
  const close = (server: FrontServer) => new Promise<void>((resolve) => server.close(() => resolve()))

  test("ends a connection after the response in progress, and says so in its headers", async () => {
    let pending: ServerResponse | undefined
    const { server, port } = await listen((_, response) => (pending = response))
    const heard = rawConversation(`http://127.0.0.1:${port}`, get("/"))
    await eventually("the request has arrived", () => pending)
    const closed = close(server)
    end(pending!, "last")
    const [reply, ...others] = repliesIn(await heard)
    expect([reply?.text, reply?.headers["connection"], others]).toEqual(["last", "close", []])
    await closed
  })

  test("ends a connection after a response whose headers were already sent", async () => {
    let pending: ServerResponse | undefined
    const { server, port } = await listen((_, response) => {
      response.writeHead(200, { "content-length": 4 }).write("la")
      pending = response
    })
    const heard = rawConversation(`http://127.0.0.1:${port}`, get("/"))
    await eventually("the request has arrived", () => pending)
    const closed = close(server)
    pending!.end("st")
    expect(repliesIn(await heard).map(({ text, headers }) => [text, headers["connection"]])).toEqual([
      ["last", "keep-alive"]
    ])
    await closed
  })

  test("responds to the pipelined requests that it has received, the last one with `Connection: close`", async () => {
    const pending: Array<ServerResponse> = []
    const { server, port } = await listen((_, response) => void pending.push(response))
    const heard = rawConversation(
      `http://127.0.0.1:${port}`,
      paths(3)
        .map((path) => get(path))
        .join("")
    )
    await eventually("the first request has arrived", () => pending[0])
    const closed = close(server)
    for (const path of paths(3)) end(await eventually(`${path} is handled`, () => pending.shift()), path)
    const connections = repliesIn(await heard).map(({ text, headers }) => [text, headers["connection"]])
    expect(connections).toEqual([
      ["/0", "keep-alive"],
      ["/1", "keep-alive"],
      ["/2", "close"]
    ])
    await closed
  })

  test("ends idle connections at once", async () => {
    const { server, port } = await listen((_, response) => end(response, "idle"))
    const socket = connect(port, "127.0.0.1", () => socket.write(get("/")))
    await new Promise<void>((resolve) => socket.once("data", () => resolve()))
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    await Promise.all([close(server), ended])
  })
})

describe("a request that arrives before the routes are built", () => {
  test("waits until they are built", async () => {
    const server = new FrontServer(serverLimits)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    opened.push(() => server.close())
    const connected = new Promise<Socket>((resolve) => server.once("connection", resolve))
    const early = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/early`)
    const socket = await connected
    await eventually("the request has arrived", async () => (server.answering(socket) === undefined ? undefined : true))
    server.on("request", (request, response) => end(response, `routed ${request.url}`))
    expect(await (await early).text()).toBe("routed /early")
  })
})
