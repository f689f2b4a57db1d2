/** The work on dispatches, as its failing items are stored under: dispatches, devices that are due, devices with new results. */
export const DISPATCHES = "dispatches"
export const DISPATCHED_DEVICES = "devices of dispatches"
export const DISPATCH_RESULTS = "results of dispatched commands"
