import { startPostgres, type PostgresServer } from "../../support/PostgresServer.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import type { Setting } from "../Figure.ts"
import { type Platform, startPlatform } from "./platform.ts"
import { type Fleet, seedFleet } from "./seedFleet.ts"

export interface PostgresSetting {
  readonly postgres: PostgresServer
  readonly platform: Platform
  readonly deviceIds: ReadonlyArray<string>
}

/** PostgreSQL with its defaults, fsync among them, and the platform on it with a fleet of inverters. */
export const onPostgres = async <A>(
  { profiles }: Setting,
  { env = {}, ...fleet }: Omit<Fleet, "workspaceId"> & { readonly env?: Readonly<Record<string, string>> },
  measure: (setting: PostgresSetting) => Promise<A>
): Promise<A> => {
  const postgres = await startPostgres()
  const folder = await guardedFolder("edp-bench")
  try {
    const platform = await startPlatform({ dataDir: folder.path, databaseUrl: postgres.url, profiles, env })
    try {
      const { workspaceId } = platform.credentials
      const deviceIds = await seedFleet(postgres, { workspaceId, ...fleet })
      return await measure({ postgres, platform, deviceIds })
    } finally {
      await platform.stop()
    }
  } finally {
    await postgres.stop()
    await folder.remove()
  }
}
