import { existsSync, readdirSync } from "node:fs"
import { blueprintAdapter } from "@edp/adapter-blueprint/blueprintAdapter"
import { matterAdapter } from "@edp/adapter-matter/matterAdapter"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import type { BuiltInCase } from "./BuiltInCase.ts"

/** The adapters of this repository that an installation has only if `EDP_ADAPTERS` names them. */
const optionalAdapters: ReadonlyArray<AnyManufacturerAdapter> = [matterAdapter]

/** The adapters with pages in the docs: the built-in ones and the optional ones. */
export const documentedAdapters: ReadonlyArray<AnyManufacturerAdapter> = [...builtInAdapters, ...optionalAdapters]

/** Every adapter of this repository: also the one that contributors copy. */
export const contractAdapters: ReadonlyArray<AnyManufacturerAdapter> = [...documentedAdapters, blueprintAdapter]

const folder = new URL("../", import.meta.url)

const load = async (name: string): Promise<ReadonlyArray<BuiltInCase>> => {
  const file = new URL(`${name}/contractCase.ts`, folder)
  return existsSync(file) ? (await import(file.href)).contractCases : []
}

/** The cases of all adapters. */
export const contractCases: ReadonlyArray<BuiltInCase> = (
  await Promise.all(readdirSync(folder).map((name) => load(name)))
).flat()
