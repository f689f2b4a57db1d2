import type { ManufacturerAdapter } from "./ManufacturerAdapter.ts"

/** Every manufacturer whose accounts or devices can be linked. A new adapter adds its line. */
export const builtInAdapters: ReadonlyArray<ManufacturerAdapter> = []
