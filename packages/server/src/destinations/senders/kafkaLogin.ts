import { type SASLOptions, saslScramSha } from "@platformatic/kafka"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import { Redacted } from "effect"

/** Kafka's own default is 4,096; more rounds than this would be work that a hostile broker gives to do. */
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

/** How the platform logs in to a cluster; undefined where it does not. */
export const kafkaLogin = (sasl: KafkaConfig["sasl"], password: Redacted.Redacted | null): SASLOptions | undefined => {
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
