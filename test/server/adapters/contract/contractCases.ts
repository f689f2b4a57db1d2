import { existsSync, readdirSync } from "node:fs"
import { blueprintAdapter } from "@edp/server/adapters/blueprint/blueprintAdapter"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { AnyManufacturerAdapter } from "@edp/server/adapters/ManufacturerAdapter"
import type { ContractCase } from "./ContractCase.ts"

/** Every built-in adapter, and the one that contributors copy. */
export const contractAdapters: ReadonlyArray<AnyManufacturerAdapter> = [...builtInAdapters, blueprintAdapter]

const folder = new URL("../", import.meta.url)

const load = async (name: string): Promise<ReadonlyArray<ContractCase>> => {
  const file = new URL(`${name}/contractCase.ts`, folder)
  return existsSync(file) ? (await import(file.href)).contractCases : []
}

/** The cases of all adapters. */
export const contractCases: ReadonlyArray<ContractCase> = (
  await Promise.all(readdirSync(folder).map((name) => load(name)))
).flat()
