import { importCommand } from "../../import/importCommand.ts"
import { sitesImport } from "./importKind.ts"

export const importSites = importCommand(sitesImport, [
  "edp sites import sites.csv --dry-run",
  "edp sites import sites.csv --report done.csv"
])
