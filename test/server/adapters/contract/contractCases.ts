import { existsSync, readdirSync } from "node:fs"
import type { ContractCase } from "./ContractCase.ts"

const folder = new URL("../", import.meta.url)

const load = async (name: string): Promise<ReadonlyArray<ContractCase>> => {
  const file = new URL(`${name}/contractCase.ts`, folder)
  return existsSync(file) ? (await import(file.href)).contractCases : []
}

/** The cases of all adapters. */
export const contractCases: ReadonlyArray<ContractCase> = (
  await Promise.all(readdirSync(folder).map((name) => load(name)))
).flat()
