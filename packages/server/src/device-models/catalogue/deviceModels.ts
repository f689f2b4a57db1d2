import type { CatalogueModel } from "./CatalogueModel.ts"
import { homeModels } from "./homeModels.ts"
import { inverterModels } from "./inverterModels.ts"
import { mobilityModels } from "./mobilityModels.ts"
import { genericModels, simulatorModels } from "./ownModels.ts"
import { batteryModels } from "./batteryModels.ts"

/** The starter catalogue: facts only (names, types, published capacities and ratings). */
export const catalogueModels: ReadonlyArray<CatalogueModel> = [
  ...genericModels,
  ...simulatorModels,
  ...batteryModels,
  ...inverterModels,
  ...mobilityModels,
  ...homeModels
]
