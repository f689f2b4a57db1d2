import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import {
  MultipleErrors,
  Producer,
  type SASLOptions,
  compatibilityPartitioner,
  findErrorBy,
  saslScramSha
} from "@platformatic/kafka"
import { Redacted } from "effect"
import { literalAddress } from "../../platform/network/publicAddress.ts"
import { NOT_CALLED, PrivateAddress } from "../../platform/outbound/OutboundDial.ts"
import { type SendResult, unanswered } from "./DestinationSender.ts"
import { RESPONSES_LIMIT, type BrokerRules, TlsSettings, guardConnections } from "./kafkaConnections.ts"

/** Kafka's default is 4,096. The limit keeps a hostile broker from costing much computation. */
export const ROUNDS_LIMIT = 100_000

const { defaultCrypto } = saslScramSha

const boundedCrypto: saslScramSha.ScramCryptoModule = {
  ...defaultCrypto,
  hi: (definition, password, salt, iterations) =>
    iterations <= ROUNDS_LIMIT
      ? defaultCrypto.hi(definition, password, salt, iterations)
      : Promise.reject(new Error(`The broker asks for more than ${ROUNDS_LIMIT} rounds`))
}

const scram =
  (algorithm: saslScramSha.ScramAlgorithm): NonNullable<SASLOptions["authenticate"]> =>
  (_mechanism, connection, authenticate, username, password, _token, callback) => {
    saslScramSha.authenticate(authenticate, connection, algorithm, username!, password!, boundedCrypto, callback)
  }

/** The login to a cluster; undefined without one. */
const kafkaLogin = (sasl: KafkaConfig["sasl"], password: Redacted.Redacted | null): SASLOptions | undefined => {
  if (sasl === null || password === null) return undefined
  const login = { username: sasl.username, password: () => Redacted.value(password) }
  switch (sasl.mechanism) {
    case "plain":
      return { ...login, mechanism: "PLAIN" }
    case "scram-sha-256":
      return { ...login, mechanism: "SCRAM-SHA-256", authenticate: scram("SHA-256") }
    case "scram-sha-512":
      return { ...login, mechanism: "SCRAM-SHA-512", authenticate: scram("SHA-512") }
  }
}

/** A client whose requests fail at once when it turns out to be broken; the library would let them wait. */
export interface KafkaClient {
  readonly send: (message: KafkaMessage) => Promise<void>
  readonly close: () => void
  /** Whether it has many connections, or one that has read much, and should be replaced. */
  readonly isWorn: () => boolean
}

export interface KafkaMessage {
  readonly topic: string
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** Limits for a connection with its login and for each response, in milliseconds. */
const CONNECT_LIMIT = 3_000
const RESPONSE_LIMIT = 5_000
const ALL_REPLICAS = -1
/** How long cluster metadata is used, in milliseconds, unless a broker reports a change. */
const METADATA_AGE = 60_000

const MANY_CONNECTIONS = 64
const MUCH_READ = RESPONSES_LIMIT / 2

const asBytes = (text?: string) => (text === undefined ? undefined : Buffer.from(text))

const parseBroker = (text: string) => {
  const colon = text.lastIndexOf(":")
  const host = text.slice(0, colon)
  return { host: literalAddress(host) ?? host, port: Number(text.slice(colon + 1)) }
}

/** A client of one cluster. Messages of one key go to the partition that Java's clients choose. */
export const kafkaClient = (
  { brokers, clientId, sasl, ssl }: KafkaConfig,
  password: Redacted.Redacted | null,
  rules: BrokerRules
): KafkaClient => {
  const login = kafkaLogin(sasl, password)
  const tls = ssl ? new TlsSettings(rules.lookup) : undefined
  const waiting = new Set<(error: unknown) => void>()
  const client = new Producer<string, string, string, string>({
    clientId,
    bootstrapBrokers: brokers.map(parseBroker),
    acks: ALL_REPLICAS,
    autocreateTopics: true,
    partitioner: (message, key) => compatibilityPartitioner(message, key),
    connectTimeout: CONNECT_LIMIT,
    requestTimeout: RESPONSE_LIMIT,
    timeout: RESPONSE_LIMIT,
    metadataMaxAge: METADATA_AGE,
    retries: 2,
    retryDelay: 200,
    serializers: { key: asBytes, value: asBytes, headerKey: asBytes, headerValue: asBytes },
    ...(tls !== undefined && { tls }),
    ...(login !== undefined && { sasl: login })
  })
  let isBroken = false
  guardConnections(client.connections, rules, tls, (cause) => {
    isBroken = true
    const error = new Error("A broker responds with what no broker should.", { cause })
    for (const end of waiting) end(error)
  })

  return {
    send: async (message) => {
      const { promise, reject, resolve } = Promise.withResolvers<unknown>()
      waiting.add(reject)
      try {
        client.send({ messages: [message] }).then(resolve, reject)
        await promise
      } finally {
        waiting.delete(reject)
      }
    },
    close: () => void client.close(true).catch(() => {}),
    isWorn: () => {
      const sockets = [...client.connections].map(([, { socket }]) => socket)
      return isBroken || sockets.length > MANY_CONNECTIONS || sockets.some((socket) => socket?.bytesRead > MUCH_READ)
    }
  }
}

/** Protocol errors by which the topic refuses the message itself. */
const ofTheMessage = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"]

const inner = (error: Error): ReadonlyArray<Error> => {
  if (error instanceof AggregateError) return error.errors as ReadonlyArray<Error>
  return error.cause instanceof Error ? [error.cause] : []
}

const isNotCalled = (error: Error) =>
  error instanceof PrivateAddress || (error as NodeJS.ErrnoException).syscall === "getaddrinfo"

/** The messages of an error and its causes, each once. */
const sentences = (error: Error, deep = 0): ReadonlyArray<string> => [
  ...(error instanceof MultipleErrors ? [] : [isNotCalled(error) ? NOT_CALLED : error.message]),
  ...(deep < 5 ? inner(error).flatMap((each) => sentences(each, deep + 1)) : [])
]

/** The result of an event that the cluster did not accept. */
export const kafkaFailure = (error: unknown): SendResult => {
  if (!(error instanceof Error)) return unanswered("The cluster could not be reached")
  const [first, ...others] = [...new Set(sentences(error).filter((text) => text !== ""))]
  return {
    ...unanswered([first ?? error.message, ...others.slice(0, 3)].join(" ").slice(0, 500)),
    permanent: ofTheMessage.some((id) => findErrorBy(error, "apiId", id) !== null)
  }
}
