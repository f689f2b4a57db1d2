import { existsSync, readdirSync } from "node:fs"
import { blueprintAdapter } from "@edp/adapter-blueprint/blueprintAdapter"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import type { BuiltInCase } from "./BuiltInCase.ts"

/** Every built-in adapter, and the one that contributors copy. */
export const contractAdapters: ReadonlyArray<AnyManufacturerAdapter> = [...builtInAdapters, blueprintAdapter]

const folder = new URL("../", import.meta.url)

const load = async (name: string): Promise<ReadonlyArray<BuiltInCase>> => {
  const file = new URL(`${name}/contractCase.ts`, folder)
  return existsSync(file) ? (await import(file.href)).contractCases : []
}

/** The cases of all adapters. */
export const contractCases: ReadonlyArray<BuiltInCase> = (
  await Promise.all(readdirSync(folder).map((name) => load(name)))
).flat()
