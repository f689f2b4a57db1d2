import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { AccountReport, LinkedDevice } from "../Account.ts"

const intervention = (blocks: Intervention["blocks"]): Intervention => ({
  code: "local_access_disabled",
  blocks,
  title: "The device refuses connections by Modbus TCP",
  steps: [
    "Open the device's settings in its app, on its display or in the browser",
    "Turn on Modbus TCP, for reading and for control",
    "Check that the port is the one that was entered, and that the device responds on this network"
  ],
  actor: "owner"
})

/** The report of an installation that is there and whose port is closed: no readings, and what its owner can do. */
export const refusedReport = (
  devices: ReadonlyArray<LinkedDevice>,
  commands: ReadonlyArray<CommandSlug>,
  observedAt: number
): AccountReport => ({
  observations: devices.map(({ manufacturerDeviceId, type }) => ({
    manufacturerDeviceId,
    observedAt,
    state: null,
    asleep: false,
    coordinates: null,
    staticState: null,
    commands: null,
    interventions: [intervention(["telemetry", ...commands.filter((command) => command.startsWith(`${type}:`))])],
    problems: []
  })),
  alerts: [],
  devices: null,
  activity: "idle"
})
