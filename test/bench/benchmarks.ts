import { accounts } from "./benchmarks/accounts.ts"
import { batch } from "./benchmarks/batch.ts"
import { claim } from "./benchmarks/claim.ts"
import { collections } from "./benchmarks/collections.ts"
import { dashboardStream } from "./benchmarks/dashboardStream.ts"
import { dashboard } from "./benchmarks/dashboard.ts"
import { deliveries } from "./benchmarks/deliveries.ts"
import { devicesList } from "./benchmarks/devicesList.ts"
import { dispatches } from "./benchmarks/dispatches.ts"
import { fleetMetrics } from "./benchmarks/fleetMetrics.ts"
import { history } from "./benchmarks/history.ts"
import { ingestBulk1000, ingestBulk50 } from "./benchmarks/ingestBulk.ts"
import { ingestSingle } from "./benchmarks/ingestSingle.ts"
import { ingestWebhook } from "./benchmarks/ingestWebhook.ts"
import { localDevices } from "./benchmarks/localDevices.ts"
import { memory } from "./benchmarks/memory.ts"
import { metrics } from "./benchmarks/metrics.ts"
import { neighbours } from "./benchmarks/neighbours.ts"
import { openadr } from "./benchmarks/openadr.ts"
import { processes } from "./benchmarks/processes.ts"
import { programs } from "./benchmarks/programs.ts"
import { reads } from "./benchmarks/reads.ts"
import { requestCost } from "./benchmarks/requestCost.ts"
import { reports } from "./benchmarks/reports.ts"
import { rollupCost } from "./benchmarks/rollupCost.ts"
import { search } from "./benchmarks/search.ts"
import { silence } from "./benchmarks/silence.ts"
import { start } from "./benchmarks/start.ts"
import type { Benchmark } from "./Figure.ts"

/** In the order in which they run. */
export const benchmarks: ReadonlyArray<Benchmark> = [
  ingestSingle,
  ingestBulk50,
  ingestBulk1000,
  ingestWebhook,
  deliveries,
  neighbours,
  claim,
  requestCost,
  processes,
  reads,
  devicesList,
  search,
  history,
  collections,
  metrics,
  fleetMetrics,
  rollupCost,
  silence,
  openadr,
  accounts,
  localDevices,
  batch,
  dispatches,
  programs,
  reports,
  dashboardStream,
  dashboard,
  memory,
  start
]
