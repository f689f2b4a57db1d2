import { compatibilityPartitioner, Producer } from "@platformatic/kafka"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { Redacted } from "effect"
import { literalAddress } from "../../platform/network/publicAddress.ts"
import { ANSWERS_LIMIT, type BrokerRules, guardConnections, TlsSettings } from "./guardedConnections.ts"
import { kafkaLogin } from "./kafkaLogin.ts"

/** A client that tells at once when it is found to be broken, because its own requests may then wait in vain. */
export interface KafkaClient {
  readonly send: (message: KafkaMessage) => Promise<void>
  readonly close: () => void
  /** Whether it holds many connections, or one that has read much. */
  readonly isWorn: () => boolean
}

export interface KafkaMessage {
  readonly topic: string
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** A connection, with its login, and then each answer must come within this, in milliseconds. */
const CONNECT_LIMIT = 3_000
const ANSWER_LIMIT = 5_000
const ALL_REPLICAS = -1
/** What a cluster says of itself is believed for so long, in milliseconds, unless a broker says that it has changed. */
const METADATA_AGE = 60_000

const MANY_CONNECTIONS = 64
const MUCH_READ = ANSWERS_LIMIT / 2

const asBytes = (text?: string) => (text === undefined ? undefined : Buffer.from(text))

const brokerOf = (text: string) => {
  const colon = text.lastIndexOf(":")
  const host = text.slice(0, colon)
  return { host: literalAddress(host) ?? host, port: Number(text.slice(colon + 1)) }
}

/** A client of one cluster. Messages of one key go to one partition, the one that Java's clients choose. */
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
    bootstrapBrokers: brokers.map(brokerOf),
    acks: ALL_REPLICAS,
    autocreateTopics: true,
    partitioner: (message, key) => compatibilityPartitioner(message, key),
    connectTimeout: CONNECT_LIMIT,
    requestTimeout: ANSWER_LIMIT,
    timeout: ANSWER_LIMIT,
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
    const error = new Error("A broker answers what no broker should.", { cause })
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
