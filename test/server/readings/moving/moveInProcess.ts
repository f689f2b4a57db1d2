import { AuditTrail } from "@edp/server/audit/AuditTrail"
import { Ids } from "@edp/server/platform/Ids"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import * as PostgresDatabase from "@edp/server/platform/sql/PostgresDatabase"
import { ArchiveDeletion } from "@edp/server/readings/moving/ArchiveDeletion"
import { ArchiveBlocks, ArchiveRepository } from "@edp/server/readings/moving/ArchiveRepository"
import { archive as archiveLayer } from "@edp/server/readings/layer"
import { ReadingsMover } from "@edp/server/readings/moving/ReadingsMover"
import { RetentionLimits } from "@edp/server/readings/retention/RetentionLimits"
import { RetentionRepository } from "@edp/server/readings/retention/RetentionRepository"
import { SealingPlanner } from "@edp/server/readings/retention/SealingPlanner"
import { WorkspaceFloorsRepository } from "@edp/server/readings/retention/WorkspaceFloorsRepository"
import { ConfigProvider, Effect, Layer, Option } from "effect"

/** Moves what is old until nothing is left, in blocks of a few readings: a process to kill. Its settings are the service's. */
const config = ServerConfig.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv())))

const database = Layer.unwrap(
  Effect.map(ServerConfig, ({ databaseUrl }) =>
    PostgresDatabase.layer({ databaseUrl: Option.getOrThrow(databaseUrl), poolSize: 2 })
  )
)

const mover = ReadingsMover.layer.pipe(
  Layer.provide(ArchiveDeletion.layer),
  Layer.provide(AuditTrail.layer),
  Layer.provide(Layer.succeed(SealingPlanner, { plan: () => Effect.succeed([]) })),
  Layer.provide(Ids.layer),
  Layer.provide([ArchiveRepository.layer, RetentionRepository.layer, WorkspaceFloorsRepository.layer, archiveLayer]),
  Layer.provide(Layer.succeed(ArchiveBlocks, () => 40)),
  Layer.provide(Layer.succeed(RetentionLimits, { devices: 50, lag: 0 })),
  Layer.provide(database),
  Layer.provide(config)
)

await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(ReadingsMover, ({ move }) => Effect.repeat(move, { while: (more) => more })),
    mover
  )
)
process.stdout.write("moved\n")
process.exit(0)
