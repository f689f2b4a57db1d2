import { Effect, Layer, Option } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { ArchiveBorder } from "./ArchiveBorder.ts"
import { ArchivedReadings } from "./ArchivedReadings.ts"
import { absentArchive } from "./absentArchive.ts"
import { clickHouseArchive } from "./ClickHouseArchive.ts"

/** The archive that the settings name. */
const archive = Layer.unwrap(
  Effect.map(ServerConfig, ({ clickHouseTables, clickHouseUrl }) =>
    Option.match(clickHouseUrl, {
      onNone: () => absentArchive,
      onSome: (url) => clickHouseArchive(url, clickHouseTables)
    })
  )
)

export const archiveLayer = ArchivedReadings.layer.pipe(
  Layer.provideMerge(archive),
  Layer.provideMerge(ArchiveBorder.layer)
)
