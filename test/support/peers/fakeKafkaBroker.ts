import { createHash, createHmac, pbkdf2Sync } from "node:crypto"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { Effect } from "effect"
import { localhostCertificate } from "./localhostCertificate.ts"

/** The broker's handling of a new connection. */
export type Behaviour = (socket: Socket) => void

/** Something on this machine that brokers' clients connect to, for the scope's time. */
export const fakeBroker = (behave: Behaviour, isEncrypted = false) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let connections = 0
      const begin = (socket: Socket) => {
        connections += 1
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        behave(socket)
      }
      const server = isEncrypted ? createTlsServer(localhostCertificate, begin) : createServer(begin)
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return {
        port: (server.address() as AddressInfo).port,
        connections: () => connections,
        open: () => sockets.size,
        close: () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

const int8 = (value: number) => Buffer.from([value])
const int16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const string = (text: string) => Buffer.concat([int16(text.length), Buffer.from(text)])
const list = (items: ReadonlyArray<Buffer>) => Buffer.concat([int32(items.length), ...items])

interface Request {
  readonly api: number
  readonly version: number
  readonly correlation: number
  readonly frame: Buffer
}

/** Responds to each request by its API; without a response to one it stays silent. */
const answering =
  (respond: (request: Request) => Buffer | undefined): Behaviour =>
  (socket) => {
    let rest = Buffer.alloc(0)
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk as Buffer])
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const frame = rest.subarray(4, 4 + rest.readInt32BE(0))
        rest = rest.subarray(4 + frame.length)
        const request = {
          api: frame.readInt16BE(0),
          version: frame.readInt16BE(2),
          correlation: frame.readInt32BE(4),
          frame
        }
        const body = respond(request)
        if (body !== undefined) socket.write(Buffer.concat([int32(4 + body.length), int32(request.correlation), body]))
      }
    })
  }

const [PRODUCE, METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE] = [0, 3, 17, 18, 36]
const offered = [
  [PRODUCE, 3],
  [METADATA, 1],
  [SASL_HANDSHAKE, 1],
  [API_VERSIONS, 1],
  [SASL_AUTHENTICATE, 0]
] as const

const apiVersions = ({ version }: Request) => {
  if (version === 3) return Buffer.concat([int16(35), int8(1), int32(0), int8(0)])
  return Buffer.concat([
    int16(0),
    list(offered.map(([api, highest]) => Buffer.concat([int16(api), int16(highest), int16(highest)]))),
    int32(0)
  ])
}

/** A broker that is one as far as the login, where it says this. */
const saying = (words: string) =>
  answering((request) => {
    if (request.api === API_VERSIONS) return apiVersions(request)
    if (request.api === SASL_HANDSHAKE) return Buffer.concat([int16(0), list([string("SCRAM-SHA-256")])])
    return Buffer.concat([int16(0), int16(-1), int32(words.length), Buffer.from(words)])
  })

/** The client's nonce must begin the broker's. */
const scramResponse =
  (iterations: number): Behaviour =>
  (socket) => {
    let nonce = ""
    socket.prependListener("data", (chunk) => {
      nonce = /r=([\w-]+)/u.exec(chunk.toString("latin1"))?.[1] ?? nonce
    })
    answering((request) => {
      if (request.api !== SASL_AUTHENTICATE) {
        return request.api === API_VERSIONS
          ? apiVersions(request)
          : Buffer.concat([int16(0), list([string("SCRAM-SHA-256")])])
      }
      const words = `r=${nonce}more,s=c2FsdA==,i=${iterations}`
      return Buffer.concat([int16(0), int16(-1), int32(words.length), Buffer.from(words)])
    })(socket)
  }

/** A broker that is one as far as what it says of the cluster. */
const describing = (topics: ReadonlyArray<Buffer>) =>
  answering((request) => {
    if (request.api === API_VERSIONS) return apiVersions(request)
    if (request.api === METADATA) return Buffer.concat([list([]), int32(1), list(topics)])
    return undefined
  })

const makePartition = (leader: number) =>
  Buffer.concat([int16(0), int32(0), int32(leader), list([int32(leader)]), list([int32(leader)])])

const flood: Behaviour = (socket) => {
  socket.write(int32(0x7fffffff))
  const pour = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(1 << 20))) void 0
  }
  socket.on("drain", pour)
  pour()
}

/** The behaviour, whether and how the client logs in first, and the expected message. */
export const hostileBrokers: ReadonlyArray<readonly [string, boolean, Behaviour, RegExp]> = [
  ["closes every connection", false, (socket) => socket.destroy(), /Connection closed/u],
  [
    "responds with what nobody asked",
    false,
    (socket) => socket.write(Buffer.concat([int32(8), int32(99), int32(0)])),
    /Connection closed/u
  ],
  ["responds with nothing", false, answering(() => Buffer.alloc(0)), /Out of bounds/u],
  ["responds without an end", false, flood, /no broker should\. It responds with too much/u],
  [
    "wants encryption",
    false,
    (socket) => socket.write(Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])),
    /Broker requires TLS/u
  ],
  ["knows nothing of the topic", false, describing([]), /no broker should/u],
  [
    "names a leader that is not there",
    false,
    describing([Buffer.concat([int16(0), string("events"), int8(0), list([makePartition(7)])])]),
    /not available in the current cluster/u
  ],
  [
    "has a topic without partitions",
    false,
    describing([Buffer.concat([int16(0), string("events"), int8(0), list([])])]),
    /no broker should/u
  ],
  ["says nonsense at the login", true, saying("nonsense"), /no broker should\. Malformed SCRAM/u],
  ["says nothing at the login", true, saying(""), /no broker should\. Malformed SCRAM/u],
  ["asks for a billion rounds at the login", true, scramResponse(1_000_000_000), /more than 100000 rounds/u]
]

type Mechanism = "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512"

/** The credentials of a client. */
export interface Login {
  readonly mechanism: Mechanism
  readonly username: string
  readonly password: string
}

const ROUNDS = 4096
const SALT = Buffer.from("a salt that is known")

const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, at) => byte ^ other[at]!))

/** The broker's side of a login: what it says to each of the client's messages, undefined where it refuses. */
const makeLogin = ({ mechanism, password, username }: Login) => {
  const [hash, bytes] = mechanism === "SCRAM-SHA-512" ? (["sha512", 64] as const) : (["sha256", 32] as const)
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest()
  let [first, response] = ["", ""]
  return (message: string): string | undefined => {
    if (mechanism === "PLAIN") return message === `\0${username}\0${password}` ? "" : undefined
    if (response === "") {
      first = message.slice("n,,".length)
      if (!first.startsWith(`n=${username},`)) return undefined
      response = `r=${/r=([^,]+)/u.exec(first)![1]}more,s=${SALT.toString("base64")},i=${ROUNDS}`
      return response
    }
    const [, bare, proof] = /^(.*),p=(.*)$/u.exec(message)!
    const salted = pbkdf2Sync(password, SALT, ROUNDS, bytes, hash)
    const exchanged = `${first},${response},${bare}`
    const clientKey = hmac(salted, "Client Key")
    const expected = xor(clientKey, hmac(createHash(hash).update(clientKey).digest(), exchanged))
    if (proof !== expected.toString("base64")) return undefined
    return `v=${hmac(hmac(salted, "Server Key"), exchanged).toString("base64")}`
  }
}

/** The bytes that end a request, after their length. */
const lastBytes = (frame: Buffer, from: number) => frame.subarray(from + 4, from + 4 + frame.readInt32BE(from))

/**
 * A broker of one topic that takes what is written once the client has logged in, for the scope's time.
 *
 * @param login Undefined if no login is required.
 */
export const workingBroker = (login: Login | undefined, isEncrypted: boolean) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    let port = 0
    const behave: Behaviour = (socket) => {
      const respondToLogin = login === undefined ? undefined : makeLogin(login)
      let isIn = login === undefined
      answering((request) => {
        const { api, frame } = request
        // The header ends with the client's name.
        const body = 10 + frame.readInt16BE(8)
        if (api === API_VERSIONS) return apiVersions(request)
        if (api === SASL_HANDSHAKE) return Buffer.concat([int16(0), list([string(login!.mechanism)])])
        if (api === SASL_AUTHENTICATE) {
          const said = respondToLogin!(lastBytes(frame, body).toString("utf8"))
          isIn = said !== undefined && (login!.mechanism === "PLAIN" || said.startsWith("v="))
          if (said === undefined) return Buffer.concat([int16(58), string("No"), int32(0)])
          return Buffer.concat([int16(0), int16(-1), int32(said.length), Buffer.from(said)])
        }
        if (!isIn) return undefined
        if (api === METADATA) {
          const broker = Buffer.concat([int32(1), string("localhost"), int32(port), int16(-1)])
          const topic = Buffer.concat([int16(0), string("events"), int8(0), list([makePartition(1)])])
          return Buffer.concat([list([broker]), int32(1), list([topic])])
        }
        written.push(frame.toString("utf8"))
        const partition = Buffer.concat([int32(0), int16(0), Buffer.alloc(8), Buffer.alloc(8, 255)])
        return Buffer.concat([list([Buffer.concat([string("events"), list([partition])])]), int32(0)])
      })(socket)
    }
    const broker = yield* fakeBroker(behave, isEncrypted)
    port = broker.port
    return { ...broker, written }
  })
