import type { FlowView, ShownDevice, ShownManufacturer } from "@edp/hosted-pages/connect/pageTypes"
import type { PageContext } from "@edp/hosted-pages/scene/scene"
import { type ConnectError, connectErrors } from "@edp/domain/connections/ConnectError"
import { interventionCodes } from "@edp/domain/devices/Intervention"
import { commandSlugs, deviceTypes } from "@edp/domain/devices/DeviceType"

export const errorCodes = Object.keys(connectErrors) as ReadonlyArray<ConnectError>

type Body<View = FlowView> = View extends FlowView ? Omit<View, keyof PageContext> : never

const manufacturers: ReadonlyArray<ShownManufacturer> = [
  { slug: "tesla", name: "Tesla", deviceTypes: ["battery", "vehicle"], logoUrl: null, products: [], connectable: true },
  { slug: "simulator", name: "Simulator", deviceTypes, logoUrl: null, products: [], connectable: true },
  {
    slug: "ocpp",
    name: "OCPP",
    deviceTypes: ["charger"],
    logoUrl: null,
    products: ["Wallbox Pulsar Max", "Wallbox Pulsar Plus"],
    connectable: true
  },
  {
    slug: "sunspec",
    name: "SunSpec Modbus",
    deviceTypes: ["inverter", "meter"],
    logoUrl: null,
    products: [],
    connectable: true
  },
  {
    slug: "acme",
    name: "Acme Energy & Söhne",
    deviceTypes: ["thermostat"],
    logoUrl: null,
    products: [],
    connectable: false
  }
]

const device = (name: string, more: Partial<ShownDevice> = {}): ShownDevice => ({
  manufacturerDeviceId: `id-${name}`,
  type: "battery",
  name,
  model: "Powerwall 3",
  serialNumber: "1707000-21-K",
  incompatible: null,
  isTaken: false,
  selected: true,
  ...more
})

const devices = [
  device("House battery"),
  device("Garage charger", { type: "charger", model: "Wall Connector", serialNumber: null, selected: false }),
  device("Old inverter", {
    type: "inverter",
    model: "SE5000",
    selected: false,
    incompatible: "Its firmware is older than 4.12"
  })
]

const empty = { values: {}, problems: {} }
const person = {
  values: { firstName: "Ada", lastName: "", email: "ada@", phone: "1", city: "Sacramento", country: "USA" },
  problems: {
    lastName: "required",
    email: "invalid_email",
    phone: "invalid_phone",
    streetOne: "invalid_address",
    city: "too_long"
  }
} as const

const fields = [
  {
    name: "host",
    label: { en: "Address of the inverter", es: "Dirección del inversor" },
    help: { en: "You find it in the app, under Network.", es: "Está en la aplicación, en Red." },
    kind: "host",
    required: true
  },
  { name: "port", label: { en: "Port", es: "Puerto" }, kind: "integer", initial: "502", minimum: 1, required: true },
  { name: "password", label: { en: "Password", es: "Contraseña" }, kind: "password", required: false },
  {
    name: "model",
    label: { en: "Model", es: "Modelo" },
    kind: "choice",
    choices: [
      { value: "a", label: { en: "Model A", es: "Modelo A" } },
      { value: "b", label: { en: "Model B", es: "Modelo B" } }
    ],
    required: true
  }
] as const

const instructions = [
  { label: { en: "Server", es: "Servidor" }, value: "wss://energy.example.com/ocpp/CP-7H3K", secret: false },
  { label: { en: "Password", es: "Contraseña" }, value: "kX93-aQ2m-77Lp-04Zz", secret: true }
]

const steps = [
  { label: { en: "Open the app.", es: "Abra la aplicación.", de: "Öffnen Sie die App." }, value: null, secret: false },
  ...instructions,
  { label: { en: "An English note." }, value: null, secret: false, isNote: true }
]

const step = (step: number) => ({ progress: { step, of: 4 } })

interface Fixture {
  readonly name: string
  readonly body: Body
  readonly context?: Partial<PageContext>
}

const system = { page: "system", manufacturer: "Tesla", devices, address: empty, problem: null } as const
const consent = {
  page: "consent",
  manufacturer: "Tesla",
  authorization: "oauth2",
  deviceTypes: ["battery", "vehicle"],
  commands: ["battery:set-reserve", "battery:set-operating-mode", "vehicle:set-charge-limit"],
  connected: [],
  canChooseAnother: true,
  reconnects: false
} as const
const list = {
  page: "manufacturers",
  manufacturers,
  search: "",
  deviceType: null,
  deviceTypes: ["battery", "charger", "inverter", "thermostat", "vehicle"]
} as const
const waiting = {
  page: "waiting",
  manufacturer: "Tesla",
  authorizationUrl: "https://auth.tesla.example/authorize?state=x&code_challenge=y",
  instructions: []
} as const

const errors: ReadonlyArray<Fixture> = errorCodes.map((error) => ({
  name: `error-${error.replaceAll("_", "-")}`,
  body: {
    page: "error",
    error,
    manufacturer: "Tesla",
    canRetry: ["access_denied", "manufacturer_unavailable", "server_error", "no_devices"].includes(error),
    returnUrl: error === "expired" ? null : "https://acme.example/back?error=x&connect_session_id=1"
  }
}))

/** Every page in every form that it has. */
export const fixtures: ReadonlyArray<Fixture> = [
  {
    name: "customer",
    body: { page: "customer", form: { values: { country: "USA" }, problems: {} } },
    context: step(1)
  },
  { name: "customer-problems", body: { page: "customer", form: person }, context: step(1) },
  { name: "manufacturers", body: list, context: step(2) },
  {
    name: "manufacturers-found",
    body: { ...list, manufacturers: manufacturers.slice(0, 1), search: "tes", deviceType: "battery" },
    context: step(2)
  },
  { name: "manufacturers-none", body: { ...list, manufacturers: [], search: "<Zzz & co>" }, context: step(2) },
  { name: "unsupported", body: { page: "unsupported", manufacturer: "Acme Energy", canChooseAnother: true } },
  { name: "consent", body: consent, context: step(3) },
  {
    name: "consent-local",
    body: {
      ...consent,
      manufacturer: "SunSpec",
      authorization: "form",
      deviceTypes: ["inverter"],
      commands: [],
      canChooseAnother: false
    }
  },
  {
    name: "consent-again",
    body: { ...consent, canChooseAnother: false, reconnects: true },
    context: step(1)
  },
  {
    name: "consent-connected",
    body: { ...consent, connected: ["Home of Ada", "Cabin"] },
    context: step(3)
  },
  { name: "consent-all", body: { ...consent, deviceTypes, commands: commandSlugs }, context: step(3) },
  {
    name: "form",
    body: { page: "form", manufacturer: "SunSpec", fields, form: empty, failure: null },
    context: step(3)
  },
  {
    name: "form-problems",
    body: {
      page: "form",
      manufacturer: "SunSpec",
      fields,
      form: {
        values: { host: "10.0.0.300", port: "x", password: "never shown again" },
        problems: { host: "invalid_host", port: "invalid_number", model: "invalid_choice" }
      },
      failure: null
    },
    context: step(3)
  },
  {
    name: "form-failed",
    body: {
      page: "form",
      manufacturer: "SunSpec",
      fields,
      form: { values: { host: "10.0.0.3", port: "502", model: "a" }, problems: {} },
      failure: "unreached"
    },
    context: step(3)
  },
  { name: "waiting", body: waiting, context: step(3) },
  {
    name: "waiting-dial",
    body: { ...waiting, manufacturer: "OCPP", authorizationUrl: null, instructions },
    context: step(3)
  },
  {
    name: "waiting-steps",
    body: { ...waiting, manufacturer: "OCPP", authorizationUrl: null, instructions: steps },
    context: step(3)
  },
  {
    name: "waiting-plain",
    body: { ...waiting, authorizationUrl: null },
    context: step(3)
  },
  { name: "system", body: system, context: step(4) },
  {
    name: "system-problems",
    body: { ...system, problem: "select_one", address: { values: { city: "" }, problems: { city: "required" } } },
    context: step(4)
  },
  { name: "system-devices", body: { ...system, address: null }, context: step(4) },
  {
    name: "done",
    body: {
      page: "done",
      manufacturer: "Tesla",
      devices: [{ name: "House battery", type: "battery" }],
      interventions: [],
      canReturn: true
    }
  },
  {
    name: "done-todo",
    body: {
      page: "done",
      manufacturer: "Tesla",
      devices: deviceTypes.map((type) => ({ name: `My ${type}`, type })),
      interventions: interventionCodes.map((code, index) => ({
        code,
        blocks: index % 2 === 0 ? ["vehicle:set-charge-limit", "telemetry"] : [],
        title: `Title of ${code}`,
        steps: index % 2 === 0 ? ["Open the app of the manufacturer", "Approve the key"] : ["Do this"],
        actor: (["owner", "installer", "operator", "manufacturer"] as const)[index % 4]!,
        deviceName: "Car"
      })),
      canReturn: false
    }
  },
  ...errors,
  { name: "returned", body: { page: "returned", manufacturer: "Tesla", continueUrl: null } },
  {
    name: "returned-own",
    body: { page: "returned", manufacturer: "Tesla", continueUrl: "/connect/token-of-a-session" }
  },
  { name: "unknown", body: { page: "unknown" }, context: { clientName: null } }
]

export const branded: Partial<PageContext> = {
  branding: { logoUrl: "https://acme.example/logo.svg", accentColor: "#ffb400" },
  contact: { email: "help@acme.example", phone: "+1 (916) 555-0142", url: "https://acme.example/help?from=<app>" }
}

/** The view of a fixture. */
export const fixtureView = (name: string, context: Partial<PageContext> = {}): FlowView => {
  const fixture = fixtures.find((each) => each.name === name)!
  return {
    language: "en",
    colorScheme: null,
    clientName: "Acme Energy",
    branding: { logoUrl: null, accentColor: null },
    contact: { email: null, phone: null, url: null },
    progress: null,
    ...fixture.context,
    ...fixture.body,
    ...context
  } as FlowView
}
