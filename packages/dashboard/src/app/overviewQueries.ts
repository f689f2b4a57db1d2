import { overviewEnergyQuery, overviewQuery } from "../resources/overview.ts"
import type { Queries } from "./search.ts"

/** The queries of the overview. They are loaded with the frame, because most visits begin there. */
export const overviewQueries = (): Queries => [overviewQuery, overviewEnergyQuery]
