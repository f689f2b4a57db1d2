import { importCommand } from "../../import/importCommand.ts"
import { customersImport } from "./importKind.ts"

export const importCustomers = importCommand(customersImport, [
  "edp customers import customers.csv --dry-run",
  "edp customers import customers.jsonl --look-up"
])
