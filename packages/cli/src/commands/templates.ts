import { checkFixture } from "@edp/adapter-templates/checkFixture"
import type { DeviceTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readHttpForm } from "@edp/adapter-templates/httpForm"
import { httpSession } from "@edp/adapter-templates/HttpSession"
import { decodeResponses, rawValues } from "@edp/adapter-templates/httpExchange"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { templateJsonSchema } from "@edp/adapter-templates/templateJsonSchema"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { securedHttp } from "@edp/adapter-kit/http/securedHttp"
import { Effect, FileSystem, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpClient } from "effect/http"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { fileFailure } from "../kernel/files.ts"
import { Output, showTable } from "../kernel/Output.ts"
import type { Column } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { localHost } from "./templates/localHost.ts"
import { skeletonProtocols, templateSkeleton } from "./templates/skeleton.ts"

const invalid = (path: string, problems: ReadonlyArray<string>) =>
  new CliFailure({ code: "TEMPLATE_INVALID", message: `${path} is no valid template`, details: problems })

const lines = (problems: Readonly<Record<string, string>>) =>
  Object.entries(problems).map(([field, message]) => `${field}: ${message}`)

/** The template of a file. Its failure names each wrong field and what it takes. */
const loadTemplate = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fileFailure("FILE_UNREADABLE", path)(fs.readFileString(path))
  const document = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => invalid(path, [error instanceof Error ? error.message : String(error)])
  })
  const result = readTemplate(document)
  return "problems" in result ? yield* invalid(path, lines(result.problems)) : result.template
})

const checkFile = Effect.fnUntraced(function* (path: string) {
  const template = yield* loadTemplate(path)
  const differences = lines(checkFixture(template))
  return differences.length === 0 ? { file: path, template } : yield* invalid(path, differences)
})

interface Checked {
  readonly file: string
  readonly template: DeviceTemplate
}

const checkedColumns: ReadonlyArray<Column<Checked>> = [
  { title: "FILE", value: ({ file }) => file, whole: true },
  { title: "SLUG", value: ({ template }) => template.slug },
  { title: "PROTOCOL", value: ({ template }) => template.protocol },
  {
    title: "DEVICES",
    value: ({ template }) =>
      template.protocol === "sunspec" ? ["of SunSpec"] : template.devices.map(({ key, type }) => `${key} (${type})`)
  }
]

const check = verb(
  "templates check",
  "Check templates of local devices, and that their fixtures give the readings that they promise",
  {
    files: Argument.File("file").pipe(Argument.withDescription("JSON file of a template"), Argument.atLeast(1))
  },
  Effect.fnUntraced(function* ({ files }) {
    const results = yield* Effect.forEach(files, (file) => Effect.result(checkFile(file)))
    const failed = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
    if (failed.length > 0) {
      return yield* new CliFailure({
        code: "TEMPLATE_INVALID",
        message: failed.map(({ message }) => message).join("; "),
        details: failed.flatMap(({ details = [], message }) =>
          failed.length === 1 ? details : [`${message}:`, ...details]
        )
      })
    }
    const checked = results.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
    yield* showTable(
      checked.map(({ file, template: { protocol, slug } }) => ({ file, slug, protocol })),
      checkedColumns,
      checked
    )
  }),
  ["edp templates check acme-hybrid.json"]
)

interface TriedField {
  readonly device: string
  readonly field: string
  readonly raw: unknown
  readonly value: unknown
}

const triedColumns: ReadonlyArray<Column<TriedField>> = [
  { title: "DEVICE", value: ({ device }) => device, whole: true },
  { title: "FIELD", value: ({ field }) => field, whole: true },
  { title: "RAW VALUE", value: ({ raw }) => (raw === undefined ? "not there" : JSON.stringify(raw)) },
  { title: "VALUE", value: ({ value }) => (value === undefined ? "absent" : JSON.stringify(value)) }
]

const unreachable = ({ failure, message }: AdapterError) =>
  new CliFailure({ code: failure === "misconfigured" ? "USAGE" : "DEVICE_FAILED", message })

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const tryTemplate = verb(
  "templates try",
  "Read a device once by a template over HTTP, and show each field with its raw value",
  {
    file: Argument.File("file").pipe(Argument.withDescription("JSON file of a template")),
    host: Flag.String("host").pipe(Flag.withDescription("Address of the device")),
    port: optionalText("port", "Port; default: that of the template"),
    tls: Flag.Boolean("tls").pipe(Flag.withDescription("Encrypt, where the template can"), Flag.withDefault(false)),
    fingerprint: optionalText("fingerprint", "SHA-256 of a certificate that comes from no known authority"),
    username: optionalText("username", "User name"),
    password: Flag.Redacted("password").pipe(Flag.withDescription("Password or token"), Flag.optional),
    inputs: Flag.String("input").pipe(
      Flag.withMetavar("name=value"),
      Flag.withDescription("An input of the template, such as unit=1; repeat for several"),
      Flag.atLeast(0)
    )
  },
  Effect.fnUntraced(function* ({ file, fingerprint, host, inputs, password, port, tls, username }) {
    const template = yield* loadTemplate(file)
    if (template.protocol !== "http") {
      return yield* usage(`${file} is a template over ${template.protocol}: only one over HTTP can be tried`)
    }
    const entered = inputs.map((input) => [input.slice(0, input.indexOf("=")), input.slice(input.indexOf("=") + 1)])
    const values: Record<string, string> = { ...Object.fromEntries(entered), host, tls: tls ? "yes" : "no" }
    for (const [name, value] of Object.entries({ fingerprint, port, username })) {
      if (Option.isSome(value)) values[name] = value.value
    }
    if (Option.isSome(password)) values["password"] = Redacted.value(password.value)
    const { credentials } = yield* Effect.mapError(readHttpForm([template], values), unreachable)
    const client = credentials.tls ? securedHttp(localHost, credentials) : yield* HttpClient.HttpClient
    const session = httpSession(client, template, credentials, {})
    const read = yield* Effect.mapError(session.readAll(), unreachable)
    const observed = template.devices.map((device) => ({
      device,
      ...decodeResponses(device, template, read, { capacity: credentials.capacities[device.key] })
    }))
    const fields = observed.flatMap(({ device, state, staticState }) =>
      Object.entries(rawValues(device, template, read)).map(([field, raw]): TriedField => ({
        device: device.key,
        field,
        raw,
        value: ({ ...staticState, ...state } as Readonly<Record<string, unknown>>)[field]
      }))
    )
    const { note } = yield* Output
    for (const { device, missing, problems } of observed) {
      for (const problem of problems) yield* note(`${device.key}: ${problem}`)
      if (missing.length > 0) yield* note(`${device.key} has no reading without ${missing.join(", ")}`)
    }
    yield* showTable({ template: template.slug, fields }, triedColumns, fields)
  }),
  [
    "edp templates try acme-hybrid.json --host 192.168.1.20 --input unit=1",
    "edp templates try envoy.json --host 192.168.1.21 --password $TOKEN --fingerprint $FINGERPRINT"
  ]
)

const create = verb(
  "templates new",
  "Print a template to begin with: a meter that reports its power",
  {
    protocol: Flag.Literals("protocol", skeletonProtocols).pipe(
      Flag.withDescription("How the device responds; default: http"),
      Flag.withDefault("http" as const)
    ),
    manufacturer: Flag.String("manufacturer").pipe(Flag.withDescription("Name of the manufacturer")),
    model: Flag.String("model").pipe(Flag.withDescription("Name of the model"))
  },
  Effect.fnUntraced(function* ({ manufacturer, model, protocol }) {
    const template = templateSkeleton(protocol, manufacturer, model)
    const result = readTemplate(template)
    if ("problems" in result) return yield* usage("The names make no template", ...lines(result.problems))
    yield* (yield* Output).show(template, () => JSON.stringify(template, null, 2))
  }),
  ["edp templates new --manufacturer 'Acme HTTP' --model 'Hybrid 10' > acme-hybrid.json"]
)

const schema = verb(
  "templates schema",
  "Print the JSON Schema of templates, by which editors complete and check them",
  {},
  Effect.fnUntraced(function* () {
    const document = templateJsonSchema()
    yield* (yield* Output).show(document, () => JSON.stringify(document, null, 2))
  }),
  ["edp templates schema > template.schema.json"]
)

export const templates = Command.make("templates").pipe(
  Command.withDescription("Templates of local devices: check, try and begin one"),
  Command.withSubcommands([check, tryTemplate, create, schema])
)
