import { Schema } from "effect"
import { flag, oneOf } from "../shared/quantities.ts"
import { documents } from "../shared/documents.ts"
import { makePatch } from "../shared/Address.ts"
import { StoredText, Text } from "../shared/Text.ts"

const optional = Schema.optionalKey

const mechanisms = ["plain", "scram-sha-256", "scram-sha-512"] as const
const brokers = "Bootstrap brokers, each `host:port`, at most 20"
const topic = "Topic of the events; it must exist, or the cluster must create it"
const clientId = "Client id, which identifies the platform in the cluster's logs"
const ssl = "Whether to use TLS; the brokers' certificates must be issued by a public authority"
const password = "Write-only: responses show `********`; sending that value back leaves the password unchanged"

const Mechanism = oneOf(mechanisms, "SASL mechanism")

/** The Kafka settings of a destination in responses. */
export const KafkaConfig = Schema.Struct({
  brokers: Schema.Array(StoredText(260))
    .check(documents({ maxItems: 20 }))
    .annotate({ description: brokers }),
  topic: StoredText(249).annotate({ description: topic }),
  clientId: StoredText(255).annotate({ description: clientId }),
  ssl: Schema.Boolean.annotate({ description: ssl }),
  sasl: Schema.NullOr(
    Schema.Struct({
      mechanism: Mechanism,
      username: StoredText(255),
      password: StoredText(8).annotate({ description: password })
    })
  ).annotate({ description: "SASL credentials; null means no authentication" })
}).annotate({ identifier: "KafkaConfig", description: "A topic of a Kafka cluster (KAFKA)" })
export type KafkaConfig = typeof KafkaConfig.Type

const brokerMessage = "Must be host:port, such as kafka-1.example.com:9092"

const given = {
  brokers: Schema.Array(
    Schema.String.annotate({ message: brokerMessage }).check(
      Schema.isPattern(
        /^(?:\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/u,
        { message: brokerMessage }
      ),
      documents({ maxLength: 260 })
    )
  )
    .check(Schema.isBetweenLength(1, 20, { message: "Must be 1 to 20 brokers" }))
    .annotate({ description: brokers }),
  topic: Schema.String.annotate({ message: "Must be a topic's name" })
    .check(
      Schema.isPattern(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/u, { message: "Must be a topic's name" }),
      documents({ maxLength: 249 })
    )
    .annotate({ description: topic }),
  clientId: Text(1, 255).annotate({ description: clientId, default: "edp" }),
  ssl: flag(ssl).annotate({ default: true })
}

const login = {
  mechanism: Mechanism,
  username: Text(1, 255),
  password: Text(1, 1000).annotate({ description: password })
}

export const KafkaConfigInput = Schema.Struct({
  ...given,
  clientId: optional(given.clientId),
  ssl: optional(given.ssl),
  sasl: optional(Schema.NullOr(Schema.Struct(login)))
}).annotate({ identifier: "KafkaConfigInput", description: "A topic of a Kafka cluster (KAFKA)" })
export type KafkaConfigInput = typeof KafkaConfigInput.Type

export const KafkaConfigPatch = makePatch({ ...given, sasl: makePatch(login) }).annotate({
  identifier: "KafkaConfigPatch",
  description: "Changes to the Kafka settings: an absent setting is unchanged, null removes it"
})
export type KafkaConfigPatch = typeof KafkaConfigPatch.Type
