import { createHash } from "node:crypto"
import { compatibilityPartitioner, Producer } from "@platformatic/kafka"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import { Redacted } from "effect"
import { type Broken, type BrokerRules, guardConnections } from "./guardedConnections.ts"
import { kafkaLogin } from "./kafkaLogin.ts"

export type KafkaClient = Producer<string, string, string, string>

/** A connection, with its login, and then each answer must come within this, in milliseconds. */
const CONNECT_LIMIT = 3_000
const ANSWER_LIMIT = 5_000
const ALL_REPLICAS = -1

const asBytes = (text?: string) => (text === undefined ? undefined : Buffer.from(text))

const brokerOf = (text: string) => {
  const colon = text.lastIndexOf(":")
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) }
}

/** Tells whether a client is still the one for a destination: another one for other settings or another password. */
export const fingerprintOf = (config: KafkaConfig, password: Redacted.Redacted | null): string =>
  createHash("sha256")
    .update(JSON.stringify([config, password === null ? null : Redacted.value(password)]))
    .digest("base64")

/** A client of one cluster. Messages of one key go to one partition, the one that Java's clients choose. */
export const kafkaClient = (
  { brokers, clientId, sasl, ssl }: KafkaConfig,
  password: Redacted.Redacted | null,
  rules: BrokerRules,
  broken: Broken
): KafkaClient => {
  const login = kafkaLogin(sasl, password)
  const client: KafkaClient = new Producer({
    clientId,
    bootstrapBrokers: brokers.map(brokerOf),
    acks: ALL_REPLICAS,
    autocreateTopics: true,
    partitioner: (message, key) => compatibilityPartitioner(message, key),
    connectTimeout: CONNECT_LIMIT,
    requestTimeout: ANSWER_LIMIT,
    timeout: ANSWER_LIMIT,
    retries: 2,
    retryDelay: 200,
    serializers: { key: asBytes, value: asBytes, headerKey: asBytes, headerValue: asBytes },
    ...(ssl && { tls: { lookup: rules.lookup, minVersion: "TLSv1.2" }, tlsServerName: true }),
    ...(login !== undefined && { sasl: login })
  })
  guardConnections(client.connections, rules, ssl, broken)
  return client
}

/** Bytes that the client's connections have read, and how many connections those are. */
export const usageOf = ({ connections }: KafkaClient) => {
  const sockets = [...connections].map(([, { socket }]) => socket)
  return { connections: sockets.length, read: Math.max(0, ...sockets.map((socket) => socket?.bytesRead ?? 0)) }
}
