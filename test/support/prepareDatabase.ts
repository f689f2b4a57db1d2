import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import * as Database from "@edp/server/platform/Database"
import { loadPostalCodes } from "@edp/server/platform/locations/PostalCodes"
import { EventPartitions } from "@edp/server/platform/outbox/EventPartitions"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Partitions } from "@edp/server/readings/ingest/TelemetryRepository"
import { Effect, Layer } from "effect"

const configured = Layer.unwrap(Effect.map(ServerConfig, (config) => Database.layer(config)))

/** With the argument `partitions`, also those of the next days and months. */
const partitions =
  process.argv[2] === "partitions"
    ? Effect.scoped(Layer.build(Layer.merge(EventPartitions.layer, Partitions.layer)))
    : Effect.void

// The first start of a server loads the postal codes, which takes it about a second.
Migrations.run.pipe(
  Effect.andThen(loadPostalCodes),
  Effect.andThen(partitions),
  Effect.provide(configured),
  Effect.provide(ServerConfig.layer),
  NodeRuntime.runMain
)
