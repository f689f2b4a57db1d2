import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { parseFilterPath, parsePath } from "@edp/adapter-kit/decoding/jsonPath"
import { checkFields, checkValues, namesOfState, namesOfStatic } from "./checkParts.ts"
import { placeholders, sentValues } from "./httpExchange.ts"
import type { Authentication, HttpDevice, HttpTemplate, ReadRequest, SentValue, Step } from "./HttpTemplate.ts"

type Problems = Record<string, string>

/** Fields that the form has of its own. */
const reserved = new Set([
  "host",
  "port",
  "tls",
  "fingerprint",
  "username",
  "password",
  "name",
  "model",
  "serialNumber"
])

export const forcedModes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "battery:set-operating-mode": ["charge", "discharge", "idle"],
  "charger:set-operating-mode": ["start-charging", "stop-charging"],
  "vehicle:set-operating-mode": ["start-charging", "stop-charging"]
}

const checkPlaceholders = (at: string, request: unknown, names: ReadonlyArray<string>, problems: Problems) => {
  const unknown = placeholders(request).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const list = names.length === 0 ? "no input" : `one of the inputs ${names.join(", ")}`
  problems[at] = `Must name ${list} in braces, not {${unknown}}`
}

const checkBody = (at: string, { form, json, method = "GET" }: ReadRequest | Step, problems: Problems) => {
  if (form !== undefined && json !== undefined) problems[at] = "Must have either form or json"
  else if (method === "GET" && (form !== undefined || json !== undefined)) {
    problems[`${at}.method`] = "Must be another one than GET for a request with a body"
  }
}

interface ValueLocation {
  readonly request?: string
  readonly path?: string
}

const checkPlace = (at: string, { path, request }: ValueLocation, { requests }: HttpTemplate, problems: Problems) => {
  const names = Object.keys(requests)
  if (request === undefined ? names.length !== 1 : !names.includes(request)) {
    problems[`${at}.request`] = `Must be one of ${names.join(", ")}`
  }
  if (path !== undefined && parseFilterPath(path) === undefined) {
    problems[`${at}.path`] = 'Must be a path such as a.b[0].c or a[?name=="x"].value'
  }
}

const checkAuthentication = (authentication: Authentication, inputs: ReadonlyArray<string>, problems: Problems) => {
  const at = "authentication"
  const { cookie, header, kind, prefix, request, token, username } = authentication
  const isLogin = kind === "login"
  const only = (field: string, value: unknown, kinds: ReadonlyArray<string>) => {
    if (value !== undefined && !kinds.includes(kind)) {
      problems[`${at}.${field}`] = `Must be left out; it is for the kind ${kinds.join(" or ")}`
    }
  }
  only("username", username, ["basic", "digest", "login"])
  only("header", header, ["header", "login"])
  only("prefix", prefix, ["header", "login"])
  for (const [field, value] of Object.entries({ request, token, cookie })) only(field, value, ["login"])
  if (kind === "header" && header === undefined) problems[`${at}.header`] = "Is required"
  if (!isLogin) return
  if (request === undefined) problems[`${at}.request`] = "Is required"
  else {
    checkPlaceholders(`${at}.request`, request, ["username", "password", ...inputs], problems)
    if (!placeholders(request).includes("password")) problems[`${at}.request`] = "Must send {password}"
    checkBody(`${at}.request`, request, problems)
  }
  if ((token === undefined) === (cookie === undefined)) problems[`${at}.token`] = "Must have either token or cookie"
  if (token !== undefined && parseFilterPath(token) === undefined) {
    problems[`${at}.token`] = 'Must be a path such as a.b[0].c or a[?name=="x"].value'
  }
}

/** Checks what a template has besides its devices. */
export const checkHttpTemplate = (template: HttpTemplate, problems: Problems) => {
  const { authentication, devices, fixture, inputs = {}, requests, serialNumber } = template
  const names = Object.keys(inputs)
  for (const name of names) {
    if (!/^[a-zA-Z][a-zA-Z0-9]*$/u.test(name) || reserved.has(name)) {
      problems[`inputs.${name}`] = `Must be a name of letters and digits, other than ${[...reserved].join(", ")}`
    } else if (!placeholders([requests, devices, authentication]).includes(name)) {
      problems[`inputs.${name}`] = `Must be used as {${name}}`
    }
  }
  if (authentication !== undefined) checkAuthentication(authentication, names, problems)
  if (serialNumber !== undefined) checkPlace("serialNumber", serialNumber, template, problems)
  const used = new Set(
    JSON.stringify([devices, serialNumber]).match(/(?<="request":")[^"]+/gu) ?? Object.keys(requests).slice(0, 1)
  )
  if (Object.keys(requests).length === 0) problems["requests"] = "Must have at least one request"
  for (const [name, request] of Object.entries(requests)) {
    const at = `requests.${name}`
    checkPlaceholders(at, request, names, problems)
    checkBody(at, request, problems)
    if (!used.has(name) && Object.keys(requests).length > 1) problems[at] = "Must be read by a field"
    if (fixture.responses[name] === undefined && request.optional !== true) {
      problems[`fixture.responses.${name}`] = "Is required"
    }
  }
  for (const name of Object.keys(fixture.responses)) {
    if (!Object.hasOwn(requests, name)) {
      problems[`fixture.responses.${name}`] = `Must be one of ${Object.keys(requests).join(", ")}`
    }
  }
  for (const [n, { command, device }] of (fixture.sends ?? []).entries()) {
    const found = devices.find(({ key }) => key === device)
    if (found === undefined) {
      problems[`fixture.sends.${n}.device`] = `Must be one of ${devices.map(({ key }) => key).join(", ")}`
    } else if (!Object.hasOwn(found.commands ?? {}, command)) {
      problems[`fixture.sends.${n}.command`] = "Must be a command of the device"
    }
  }
}

const checkStep = (at: string, slug: string, step: Step, template: HttpTemplate, problems: Problems) => {
  const { form = {}, json = [], path, query = {}, segments = {}, when } = step
  const groups = { segments, query, form }
  const values: ReadonlyArray<readonly [string, SentValue]> = [
    ...Object.entries(groups).flatMap(([group, own]) =>
      Object.entries(own).map(([name, value]) => [`${at}.${group}.${name}`, value] as const)
    ),
    ...json.map((value, n) => [`${at}.json.${n}`, value] as const)
  ]
  checkValues(at, slug, values, "http", problems)
  checkBody(at, step, problems)
  for (const [place, { confirm }] of values) {
    if (confirm !== undefined) checkPlace(`${place}.confirm`, confirm, template, problems)
  }
  for (const [n, one] of json.entries()) {
    if (parsePath(one.at) === undefined) problems[`${at}.json.${n}.at`] = "Must be a path such as a.b"
  }
  const inputs = [
    ...Object.keys(template.inputs ?? {}),
    ...(template.serialNumber === undefined ? [] : ["serialNumber"])
  ]
  checkPlaceholders(at, [step.headers, ...values.map(([, { value }]) => value)], inputs, problems)
  checkPlaceholders(`${at}.path`, path, [...Object.keys(segments), ...inputs], problems)
  for (const name of Object.keys(segments)) {
    if (!placeholders(path).includes(name)) problems[`${at}.segments.${name}`] = `Must be in the path as {${name}}`
  }
  const modes = forcedModes[slug] ?? []
  if (when !== undefined && !when.every((mode) => modes.includes(mode))) {
    problems[`${at}.when`] = modes.length === 0 ? "Must be left out" : `Must be a list of ${modes.join(", ")}`
  }
}

/** Checks a device of a template over HTTP. */
export const checkHttpDevice = (at: string, device: HttpDevice, template: HttpTemplate, problems: Problems) => {
  const { commands = {}, fields, fixedStatic = {}, key, static: statics = {}, type } = device
  const fixed = Object.fromEntries(Object.keys(fixedStatic).map((name) => [name, {}]))
  checkFields(`${at}.fields`, fields, namesOfState(type), problems, parseFilterPath)
  checkFields(`${at}.static`, statics, namesOfStatic(type), problems, parseFilterPath)
  checkFields(`${at}.fixedStatic`, fixed, namesOfStatic(type), problems)
  for (const [place, own] of Object.entries({ fields, static: statics })) {
    for (const [name, { path, request, sum = [] }] of Object.entries(own)) {
      const field = `${at}.${place}.${name}`
      const parts = sum.map((part, n) => [`${field}.sum.${n}`, { ...(request !== undefined && { request }), ...part }])
      for (const [where, one] of path === undefined
        ? parts
        : [[field, { path, ...(request !== undefined && { request }) }]]) {
        checkPlace(where as string, one as ValueLocation, template, problems)
      }
    }
  }
  for (const [slug, steps] of Object.entries(commands)) {
    const place = `${at}.commands.${slug}`
    if (!slug.startsWith(`${type}:`)) {
      problems[place] = `Must be a command of a device of type ${type}`
      continue
    }
    for (const [n, step] of steps.entries()) checkStep(`${place}.${n}`, slug, step, template, problems)
    if (forcedModes[slug] !== undefined && !steps.flatMap(sentValues).some(({ confirm }) => confirm !== undefined)) {
      problems[place] = "Must have a value with confirm: the settings from before a mode are restored by it"
    }
    const isShown = template.fixture.sends?.some(
      ({ command, device: of }) => of === key && command === (slug as CommandSlug)
    )
    if (isShown !== true) problems["fixture.sends"] = `Must have the requests of ${slug}`
  }
}
