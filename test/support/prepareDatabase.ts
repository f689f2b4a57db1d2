import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import * as Database from "@edp/server/platform/Database"
import { loadPostalCodes } from "@edp/server/platform/locations/PostalCodes"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Effect, Layer } from "effect"

const configured = Layer.unwrap(Effect.map(ServerConfig, (config) => Database.layer(config)))

// The first start of a server loads the postal codes, which takes it about a second.
Effect.andThen(Migrations.run, loadPostalCodes).pipe(
  Effect.provide(configured),
  Effect.provide(ServerConfig.layer),
  NodeRuntime.runMain
)
