import { collections } from "./benchmarks/collections.ts"
import { devicesList } from "./benchmarks/devicesList.ts"
import { history } from "./benchmarks/history.ts"
import { ingestBulk1000, ingestBulk50 } from "./benchmarks/ingestBulk.ts"
import { ingestSingle } from "./benchmarks/ingestSingle.ts"
import { memory } from "./benchmarks/memory.ts"
import { metrics } from "./benchmarks/metrics.ts"
import { rollupCost } from "./benchmarks/rollupCost.ts"
import { silence } from "./benchmarks/silence.ts"
import { start } from "./benchmarks/start.ts"
import type { Benchmark } from "./Figure.ts"

/** In the order in which they run. */
export const benchmarks: ReadonlyArray<Benchmark> = [
  ingestSingle,
  ingestBulk50,
  ingestBulk1000,
  devicesList,
  history,
  collections,
  metrics,
  rollupCost,
  silence,
  memory,
  start
]
