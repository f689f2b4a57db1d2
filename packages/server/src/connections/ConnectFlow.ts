import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, type Effect } from "effect"
import type { Language } from "../adapters/ManufacturerAdapter.ts"
import type { FlowView } from "./flowView.ts"

/** The visitor of a page. */
export interface Visitor {
  /** The language that the visitor chose on a page; it goes before that of the session. `chooseLanguage` decides. */
  readonly language: Language | null
  /** The header Accept-Language. */
  readonly languages: string | null
  /**
   * The browser's id: an unguessable value that the pages set as a cookie with the first page. The callback of an authorization
   * that began in one browser is refused in another that has an id; null where there is no cookie, and then nothing is checked.
   */
  readonly cookie: string | null
}

/** Result of a request to the hosted pages. */
export type FlowResult =
  | { readonly kind: "view"; readonly view: FlowView }
  /** `external`: to the manufacturer or the caller; otherwise a page of the flow, such as `/connect/<token>`. */
  | { readonly kind: "redirect"; readonly url: string; readonly external: boolean }

type Form = Readonly<Record<string, string>>

/**
 * The hosted flow. `token` is the session's token in the link. Each method does what the session's status permits, otherwise it
 * answers with the page that comes next, so that a repeated, late or concurrent request shows the result of the first.
 */
export class ConnectFlow extends Context.Service<
  ConnectFlow,
  {
    /** The page that comes next. */
    readonly open: (token: string, visitor: Visitor) => Effect.Effect<FlowResult>
    /** Fields as on the page `customer`. */
    readonly submitCustomer: (token: string, visitor: Visitor, form: Form) => Effect.Effect<FlowResult>
    readonly searchManufacturers: (
      token: string,
      visitor: Visitor,
      query: { readonly search: string; readonly deviceType: DeviceType | null }
    ) => Effect.Effect<FlowResult>
    readonly chooseManufacturer: (token: string, visitor: Visitor, slug: string) => Effect.Effect<FlowResult>
    /** Back to the choice of the manufacturer, if the session has one. */
    readonly chooseAnother: (token: string, visitor: Visitor) => Effect.Effect<FlowResult>
    /** Leads to the manufacturer, or to the form of a local device. Refused consent ends in the error `consent_refused`. */
    readonly consent: (token: string, visitor: Visitor, granted: boolean) => Effect.Effect<FlowResult>
    /** Fields as on the page `form`. */
    readonly submitForm: (token: string, visitor: Visitor, values: Form) => Effect.Effect<FlowResult>
    /** The return from a manufacturer, with all parameters of the query. */
    readonly callback: (visitor: Visitor, parameters: Form) => Effect.Effect<FlowResult>
    readonly chooseDevices: (
      token: string,
      visitor: Visitor,
      choice: {
        readonly manufacturerDeviceIds: ReadonlyArray<string>
        /** Fields as on the page `system`; null where it shows none. */
        readonly address: Form | null
      }
    ) => Effect.Effect<FlowResult>
    /** After an error: the step that failed once more. */
    readonly retry: (token: string, visitor: Visitor) => Effect.Effect<FlowResult>
    /** The visitor gives up: the error `access_denied`. */
    readonly cancel: (token: string, visitor: Visitor) => Effect.Effect<FlowResult>
  }
>()("@edp/server/ConnectFlow") {}
