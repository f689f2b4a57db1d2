import { publicName } from "@edp/domain/workspaces/Workspace"
import type { ConnectError } from "@edp/domain/connections/ConnectError"
import { type DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"
import { Effect, Redacted } from "effect"
import { Accounts } from "../../accounts/Accounts.ts"
import type { Authorization, Instruction } from "@edp/adapter-kit/ManufacturerAdapter"
import { Manufacturers } from "../../manufacturers/Manufacturers.ts"
import { Products } from "../../products/Products.ts"
import type { FieldProblem, FormState } from "@edp/hosted-pages/scene/formState"
import { chooseLanguage } from "../../platform/pages/language.ts"
import { type PageContext, plainContext } from "@edp/hosted-pages/scene/scene"
import { addressForm, customerForm } from "../../platform/pages/personForm.ts"
import type { Visitor } from "../../platform/pages/visitors.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { AccountLinking } from "../linking/AccountLinking.ts"
import { Authorizations } from "../sign-in/Authorizations.ts"
import { callerUrl } from "../sign-in/CallerReturns.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"
import { emptyForm } from "./forms.ts"
import type { FlowView, FormFailure, ShownManufacturer } from "@edp/hosted-pages/connect/pageTypes"
import { type SessionRow, instructionsPurpose, isHosted, isPublic } from "../sessionRow.ts"

/** The manufacturer that is selected in advance; undefined if the person chooses. */
export const preselected = (session: SessionRow): string | undefined => {
  if (session.reconnectId !== null) return session.manufacturer!
  const [only, ...others] = new Set(session.manufacturers ?? [])
  return others.length === 0 ? only : undefined
}

/** The address of the last form: null where the site is known and nothing is asked. */
const isAddressAsked = (session: SessionRow, hasSite: boolean) =>
  session.siteId === null && (session.customerInfo?.location !== undefined || !hasSite)

type Step = "customer" | "manufacturers" | "authorize" | "system"

const listSteps = (session: SessionRow): ReadonlyArray<Step> => [
  ...(session.transitions.some(({ status }) => status === "ENTERING_CUSTOMER_INFO") ? ["customer" as const] : []),
  ...(preselected(session) === undefined ? ["manufacturers" as const] : []),
  "authorize",
  ...(session.reconnectId === null ? ["system" as const] : [])
]

const stepOfPage: Partial<Record<FlowView["page"], Step>> = {
  customer: "customer",
  manufacturers: "manufacturers",
  consent: "authorize",
  form: "authorize",
  waiting: "authorize",
  system: "system"
}

const progress = (session: SessionRow, page: FlowView["page"]): PageContext["progress"] => {
  const steps = listSteps(session)
  const step = stepOfPage[page]
  return step === undefined || !steps.includes(step) ? null : { step: steps.indexOf(step) + 1, of: steps.length }
}

/** The pages, made of a session. */
export const FlowViews = Effect.gen(function* () {
  const repository = yield* ConnectionsRepository
  const accounts = yield* Accounts
  const manufacturers = yield* Manufacturers
  const products = yield* Products
  const authorizations = yield* Authorizations
  const linking = yield* AccountLinking
  const box = yield* SecretBox

  const context = (session: SessionRow, visitor: Visitor, page: FlowView["page"]): PageContext => ({
    language: chooseLanguage(visitor.language ?? session.language, visitor.languages),
    colorScheme: session.colorScheme,
    clientName: session.clientName ?? publicName(session.workspaceName),
    branding: { logoUrl: session.logoUrl, accentColor: session.accentColor },
    contact: { email: session.contactEmail, phone: session.contactPhone, url: session.contactUrl },
    progress: progress(session, page)
  })

  const named = (slug: string | null) =>
    slug === null
      ? Effect.succeed(null)
      : manufacturers.get(slug).pipe(
          Effect.map(({ name }) => name),
          Effect.catchTag("NOT_FOUND", () => Effect.succeed(slug))
        )
  const manufacturerName = (session: SessionRow) => Effect.map(named(session.manufacturer), (name) => name ?? "")

  const offered = Effect.fnUntraced(function* (session: SessionRow) {
    const connectable = new Map((yield* accounts.manufacturers).map((manifest) => [manifest.slug, manifest]))
    const isOffered = (slug: string, types: ReadonlyArray<DeviceType>) =>
      // `generic` stands for devices that report by themselves.
      (session.manufacturers === null ? slug !== "generic" : session.manufacturers.includes(slug)) &&
      (session.deviceTypes === null || types.some((type) => session.deviceTypes!.includes(type)))
    const shown = (yield* manufacturers.all)
      .map(({ slug, name, deviceTypes: types, logoUrl }): ShownManufacturer => ({
        slug,
        name,
        deviceTypes: connectable.get(slug)?.deviceTypes ?? types,
        logoUrl,
        products: [],
        connectable: connectable.has(slug)
      }))
      .filter(({ slug, deviceTypes: types }) => isOffered(slug, types))
    return shown.toSorted((a, b) => Number(b.connectable) - Number(a.connectable) || a.name.localeCompare(b.name, "en"))
  })

  /** The manufacturers with the name, and those with such products: the best product first, the connectable ones before the others. */
  const searched = Effect.fnUntraced(function* (shown: ReadonlyArray<ShownManufacturer>, search: string) {
    const term = search.toLowerCase()
    const named = shown.filter(({ name, slug }) => name.toLowerCase().includes(term) || slug.includes(term))
    const found = yield* products.find({ q: search, manufacturer: shown.map(({ slug }) => slug) })
    const byMaker = Map.groupBy(found, ({ manufacturer }) => manufacturer)
    const withProducts = [...byMaker.keys()].flatMap((slug) => shown.filter((one) => one.slug === slug))
    return [...new Set([...named, ...withProducts])]
      .map((one) => ({ ...one, products: (byMaker.get(one.slug) ?? []).map(({ name }) => name) }))
      .toSorted((a, b) => Number(b.connectable) - Number(a.connectable))
  })

  const asksAddress = Effect.fnUntraced(function* (session: SessionRow) {
    if (session.siteId !== null || isHosted(session)) return false
    const { customerId, workspaceId } = session
    const site = customerId === null ? undefined : yield* repository.siteOfCustomer(workspaceId, customerId)
    return isAddressAsked(session, site !== undefined)
  })

  const instructions = Effect.fnUntraced(function* ({ id, sealedInstructions }: SessionRow) {
    if (sealedInstructions === null) return []
    const text = yield* box.open(instructionsPurpose(id), sealedInstructions)
    return JSON.parse(Redacted.value(text)) as ReadonlyArray<Instruction>
  })

  /** Names what the person has connected there, except in a public session. */
  const connectedNames = ({ createdByType, manufacturer, reconnectId, referenceId, workspaceId }: SessionRow) =>
    manufacturer === null || reconnectId !== null || isPublic({ createdByType })
      ? Effect.succeed([])
      : accounts.connectedNames({ workspaceId, manufacturer, referenceId })

  return {
    unknown: (visitor: Visitor): FlowView => ({
      ...plainContext(chooseLanguage(visitor.language, visitor.languages)),
      page: "unknown"
    }),
    customer: (session: SessionRow, visitor: Visitor, form?: FormState): FlowView => ({
      ...context(session, visitor, "customer"),
      page: "customer",
      form: form ?? customerForm(session.customerInfo ?? {})
    }),
    manufacturers: Effect.fnUntraced(function* (
      session: SessionRow,
      visitor: Visitor,
      query?: { readonly search: string; readonly deviceType: DeviceType | null }
    ) {
      const all = yield* offered(session)
      const search = (query?.search ?? "").trim().slice(0, 100)
      const deviceType = query?.deviceType ?? null
      const shown = all.filter(({ deviceTypes: types }) => deviceType === null || types.includes(deviceType))
      return {
        ...context(session, visitor, "manufacturers"),
        page: "manufacturers" as const,
        manufacturers: search === "" ? shown : yield* searched(shown, search),
        search,
        deviceType,
        deviceTypes: deviceTypes.filter(
          (type) =>
            (session.deviceTypes === null || session.deviceTypes.includes(type)) &&
            all.some(({ deviceTypes: types }) => types.includes(type))
        )
      }
    }),
    unsupported: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
      return {
        ...context(session, visitor, "unsupported"),
        page: "unsupported" as const,
        manufacturer: yield* manufacturerName(session),
        canChooseAnother: preselected(session) === undefined
      }
    }),
    consent: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
      const manifest = (yield* accounts.manufacturers).find(({ slug }) => slug === session.manufacturer)
      const types = manifest?.deviceTypes ?? []
      return {
        ...context(session, visitor, "consent"),
        page: "consent" as const,
        manufacturer: yield* manufacturerName(session),
        authorization: manifest?.authorization ?? "oauth2",
        deviceTypes: types.filter((type) => session.deviceTypes === null || session.deviceTypes.includes(type)),
        commands: manifest?.commands ?? [],
        connected: yield* connectedNames(session),
        canChooseAnother: preselected(session) === undefined,
        reconnects: session.reconnectId !== null
      }
    }),
    form: Effect.fnUntraced(function* (
      session: SessionRow,
      visitor: Visitor,
      { fields }: Extract<Authorization<unknown>, { readonly kind: "form" | "inbound" }>,
      state?: { readonly form: FormState; readonly failure: FormFailure | null }
    ) {
      return {
        ...context(session, visitor, "form"),
        page: "form" as const,
        manufacturer: yield* manufacturerName(session),
        fields,
        form: state?.form ?? emptyForm(fields),
        failure: state?.failure ?? null
      }
    }),
    waiting: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
      const begun = session.mode === "headless" ? undefined : yield* authorizations.newest(session.id)
      const isOpen = begun !== undefined && begun.redeemedAt === null && begun.manufacturer === session.manufacturer
      return {
        ...context(session, visitor, "waiting"),
        page: "waiting" as const,
        manufacturer: yield* manufacturerName(session),
        authorizationUrl: isOpen ? begun.authorizationUrl : null,
        instructions: yield* instructions(session)
      }
    }),
    system: Effect.fnUntraced(function* (
      session: SessionRow,
      visitor: Visitor,
      state?: {
        readonly chosen: ReadonlyArray<string>
        readonly address: FormState | null
        readonly problem: FieldProblem | null
      }
    ) {
      const found = session.discovered ?? []
      const taken = yield* linking.takenDevices(session, found)
      const devices = found.map(({ manufacturerDeviceId, type, name, model, serialNumber, incompatible }) => {
        const isTaken = taken.has(manufacturerDeviceId)
        const isUsable = incompatible === null && !isTaken
        return {
          manufacturerDeviceId,
          type,
          name,
          model,
          serialNumber,
          incompatible,
          isTaken,
          selected: state === undefined ? isUsable : state.chosen.includes(manufacturerDeviceId)
        }
      })
      const address = (yield* asksAddress(session)) ? addressForm(session.customerInfo?.location) : null
      return {
        ...context(session, visitor, "system"),
        page: "system" as const,
        manufacturer: yield* manufacturerName(session),
        devices,
        address: state === undefined ? address : state.address,
        problem: state?.problem ?? null
      }
    }),
    done: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
      const devices = yield* repository.devices(session.workspaceId, session.deviceIds)
      return {
        ...context(session, visitor, "done"),
        page: "done" as const,
        manufacturer: yield* manufacturerName(session),
        devices: devices.map(({ name, type }) => ({ name, type })),
        interventions: devices.flatMap(({ name, interventions }) =>
          (interventions ?? []).map((each) => ({ ...each, deviceName: name }))
        ),
        canReturn: callerUrl(session) !== null
      }
    }),
    returned: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor, continueUrl: string | null) {
      return {
        ...context(session, visitor, "returned"),
        page: "returned" as const,
        manufacturer: yield* manufacturerName(session),
        continueUrl
      }
    }),
    error: Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
      const error: ConnectError = session.status === "EXPIRED" ? "expired" : (session.lastError?.code ?? "server_error")
      return {
        ...context(session, visitor, "error"),
        page: "error" as const,
        error,
        manufacturer: yield* named(session.manufacturer),
        canRetry: session.status === "ERROR",
        returnUrl: callerUrl(session)
      }
    }),
    /** Manufacturers that the session lets the person choose, the connectable ones first. */
    offered,
    /** Whether the last form asks for the address. */
    asksAddress
  }
})
