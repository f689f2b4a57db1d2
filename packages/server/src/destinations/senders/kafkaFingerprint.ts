import { createHash } from "node:crypto"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import { Redacted } from "effect"

/** Tells whether a client is still the one for a destination: another one for other settings or another password. */
export const kafkaFingerprint = (config: KafkaConfig, password: Redacted.Redacted | null): string =>
  createHash("sha256")
    .update(JSON.stringify([config, password === null ? null : Redacted.value(password)]))
    .digest("base64")
