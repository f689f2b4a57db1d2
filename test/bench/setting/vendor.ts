import { startWorker, type Worker } from "./childProcess.ts"

export interface VendorRequest {
  readonly windowMs: number
  readonly forget: boolean
}

/** The calls that a manufacturer's cloud has got. */
export interface VendorResponse {
  readonly port: number
  readonly calls: number
  /** Time of the first one, in milliseconds since 1970. */
  readonly first: number
  /** From the first to the last. */
  readonly seconds: number
  /** Calls in the window with the most; windows are aligned to 1970. */
  readonly busiest: number
}

/** The cloud of a manufacturer that takes every command, as a process of its own. */
export const startVendor = (): Worker<VendorRequest, VendorResponse> =>
  startWorker(new URL("vendorProcess.ts", import.meta.url))
