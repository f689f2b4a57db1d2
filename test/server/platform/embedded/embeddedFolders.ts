import * as EmbeddedDatabase from "@edp/server/platform/embedded/EmbeddedDatabase"
import { Effect } from "effect"
import { cp, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type GuardedFolder, guardedFolder } from "../../../support/guardedFolder.ts"

export interface EmbeddedFolders {
  /** A data folder of its own with an empty database in it, copied from one that was made once. */
  readonly prepared: () => Promise<string>
  /** A path in a temporary folder at which there is nothing. */
  readonly missing: () => string
}

/** Data folders for the tests of one file. */
export const useEmbeddedFolders = (): EmbeddedFolders => {
  let root: GuardedFolder
  let count = 0
  const missing = () => join(root.path, `data-${++count}`)
  let template: Promise<string> | undefined
  const makeTemplate = async () => {
    const folder = join(root.path, "template")
    await Effect.runPromise(Effect.provide(Effect.void, EmbeddedDatabase.layer({ dataDir: folder })))
    return folder
  }
  beforeAll(async () => {
    root = await guardedFolder("edp-embedded")
  })
  afterAll(() => root.remove())
  return {
    missing,
    prepared: async () => {
      const folder = missing()
      await mkdir(folder, { mode: 0o700 })
      await cp(await (template ??= makeTemplate()), folder, { recursive: true })
      return folder
    }
  }
}
