import { Command } from "effect/cli"
import type { Connection } from "../kernel/Connection.ts"
import type { CliServices, WholeCommand } from "../kernel/environment.ts"
import type { Output } from "../kernel/Output.ts"

type AnyCommand = Command.Command<any, any, any, any, CliServices | Connection | Output | WholeCommand>

interface Entry {
  readonly name: string
  readonly description: string
  readonly load: () => Promise<AnyCommand>
}

/** The commands in the order of the help. Their code is loaded on demand, which halves the start time. */
export const commandTable: ReadonlyArray<Entry> = [
  {
    name: "devices",
    description: "Devices, their state and their readings",
    load: async () => (await import("./devices.ts")).devices
  },
  {
    name: "commands",
    description: "Commands and their status",
    load: async () => (await import("./commands.ts")).commands
  },
  {
    name: "batch",
    description: "The same command for many devices, with its progress",
    load: async () => (await import("./batch.ts")).batch
  },
  {
    name: "schedules",
    description: "Operating modes of devices by local time",
    load: async () => (await import("./schedules.ts")).schedules
  },
  {
    name: "sites",
    description: "Sites where devices are installed",
    load: async () => (await import("./sites.ts")).sites
  },
  {
    name: "customers",
    description: "Customers who own or use devices",
    load: async () => (await import("./customers.ts")).customers
  },
  {
    name: "connections",
    description: "Sessions in which end users connect devices",
    load: async () => (await import("./connections.ts")).connections
  },
  {
    name: "alerts",
    description: "Alerts of devices and sites",
    load: async () => (await import("./alerts.ts")).alerts
  },
  {
    name: "collections",
    description: "Collections of devices, sites or customers",
    load: async () => (await import("./collections.ts")).collections
  },
  {
    name: "programs",
    description: "Energy programs: the states and the devices that they take",
    load: async () => (await import("./programs.ts")).programs
  },
  {
    name: "instances",
    description: "Programs as the workspace runs them, with their terms and deadlines",
    load: async () => (await import("./instances.ts")).instances
  },
  {
    name: "enrollments",
    description: "Participation of customers in program instances",
    load: async () => (await import("./enrollments.ts")).enrollments
  },
  {
    name: "dispatches",
    description: "Calls on the enrolled sites of a program instance, and what they delivered",
    load: async () => (await import("./dispatches.ts")).dispatches
  },
  {
    name: "grid",
    description: "Utilities' OpenADR servers that the workspace follows, their events and reports",
    load: async () => (await import("./grid.ts")).grid
  },
  {
    name: "search",
    description: "Find devices, sites, customers, accounts and program instances by a part of what is written on them",
    load: async () => (await import("./search.ts")).search
  },
  {
    name: "tags",
    description: "Tags of devices and sites",
    load: async () => (await import("./tags.ts")).tags
  },
  {
    name: "metrics",
    description: "Energy over time, as tables, CSV and charts",
    load: async () => (await import("./metrics.ts")).metrics
  },
  {
    name: "telemetry",
    description: "Import readings of devices",
    load: async () => (await import("./telemetry.ts")).telemetry
  },
  {
    name: "export",
    description: "Readings, events and commands as Parquet, CSV or NDJSON",
    load: async () => (await import("./export.ts")).exporting
  },
  {
    name: "events",
    description: "Events of the last 30 days",
    load: async () => (await import("./events.ts")).events
  },
  {
    name: "destinations",
    description: "Destinations of events",
    load: async () => (await import("./destinations.ts")).destinations
  },
  {
    name: "deliveries",
    description: "Deliveries of events to destinations",
    load: async () => (await import("./deliveries.ts")).deliveries
  },
  {
    name: "home-assistant",
    description: "Devices as entities of Home Assistant, by MQTT",
    load: async () => (await import("./homeAssistant.ts")).homeAssistant
  },
  {
    name: "listen",
    description: "Receive events on this machine: verify, show and forward them",
    load: async () => (await import("./listen.ts")).listen
  },
  {
    name: "trigger",
    description: "Send a sample event of a type to a destination",
    load: async () => (await import("./trigger.ts")).trigger
  },
  {
    name: "manufacturers",
    description: "Manufacturers of devices",
    load: async () => (await import("./manufacturers.ts")).manufacturers
  },
  {
    name: "device-models",
    description: "Device models of the manufacturers",
    load: async () => (await import("./deviceModels.ts")).deviceModels
  },
  {
    name: "templates",
    description: "Templates of local devices: check, try and begin one",
    load: async () => (await import("./templates.ts")).templates
  },
  {
    name: "simulator",
    description: "The simulated manufacturer: its accounts, homes, faults and clocks",
    load: async () => (await import("./simulator.ts")).simulator
  },
  {
    name: "vtn",
    description: "The OpenADR server: its clients, VENs, their reports and subscriptions",
    load: async () => (await import("./vtn.ts")).vtn
  },
  {
    name: "keys",
    description: "API keys",
    load: async () => (await import("./keys.ts")).keys
  },
  {
    name: "workspaces",
    description: "Workspaces, which separate sites, devices and alerts",
    load: async () => (await import("./workspaces.ts")).workspaces
  },
  {
    name: "organizations",
    description: "The organization that owns the workspaces",
    load: async () => (await import("./organizations.ts")).organizations
  },
  {
    name: "audit",
    description: "Audit log: writes with MANAGEMENT keys, and refused keys",
    load: async () => (await import("./audit.ts")).audit
  },
  {
    name: "api",
    description: "Send any request to the API",
    load: async () => (await import("./api.ts")).api
  },
  {
    name: "dashboard",
    description: "The operators' web page",
    load: async () => (await import("./dashboard.ts")).dashboard
  },
  {
    name: "doctor",
    description: "Check the service, keys, clocks and files, and advise",
    load: async () => (await import("./doctor.ts")).doctor
  },
  {
    name: "completions",
    description: "Print a shell completion script",
    load: async () => (await import("./completions.ts")).completions
  }
]

/** An entry of the help, for a command that is not loaded. */
const placeholder = ({ description, name }: Entry): AnyCommand =>
  Command.make(name).pipe(Command.withDescription(description))

/** All commands; the named ones are loaded. */
export const commandsFor = (words: ReadonlyArray<string>): Promise<ReadonlyArray<AnyCommand>> =>
  Promise.all(commandTable.map((entry) => (words.includes(entry.name) ? entry.load() : placeholder(entry))))
