import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { Authorization, FormField, Instruction, Language } from "../adapters/ManufacturerAdapter.ts"

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

/** Why a field was refused; the pages have a sentence for each, per language. */
export type FieldProblem =
  | "required"
  | "too_long"
  | "invalid_email"
  | "invalid_phone"
  | "invalid_address"
  | "invalid_choice"
  | "invalid_number"
  | "invalid_host"
  | "select_one"

/** The fields of a form as they were typed, and what is wrong with them. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>
  readonly problems: Readonly<Record<string, FieldProblem>>
}

export interface ShownManufacturer {
  readonly slug: string
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly logoUrl: string | null
  /** False: chosen, it leads to the page `unsupported`. */
  readonly connectable: boolean
}

export interface ShownDevice {
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
  readonly name: string
  readonly model: string
  readonly serialNumber: string | null
  /** Why it cannot be connected, for people; null for a usable one. */
  readonly incompatible: string | null
  readonly selected: boolean
}

/** Data of every page. */
export interface FlowContext {
  readonly language: Language
  /** Null: the visitor's device decides. */
  readonly colorScheme: "light" | "dark" | null
  /** Name of the asking party: the caller's clientName, else the workspace's name. Null where the link is unknown. */
  readonly clientName: string | null
  readonly branding: { readonly logoUrl: string | null; readonly accentColor: string | null }
  /** Position of the visitor among the steps of this session; null on pages outside of them. */
  readonly progress: { readonly step: number; readonly of: number } | null
}

/** The page of a session that comes next, with its data. */
export type FlowView = FlowContext &
  (
    | {
        /** Fields: firstName, lastName, email, phone, streetOne, streetTwo, city, state, postalCode, country. */
        readonly page: "customer"
        readonly form: FormState
      }
    | {
        readonly page: "manufacturers"
        readonly manufacturers: ReadonlyArray<ShownManufacturer>
        /** The text that the visitor searched for. */
        readonly search: string
        readonly deviceType: DeviceType | null
        /** Types to filter by. */
        readonly deviceTypes: ReadonlyArray<DeviceType>
      }
    | { readonly page: "unsupported"; readonly manufacturer: string; readonly canChooseAnother: boolean }
    | {
        readonly page: "consent"
        readonly manufacturer: string
        /** Whether the person signs in at the manufacturer, or names a device of their own. */
        readonly authorization: Authorization<never>["kind"]
        readonly deviceTypes: ReadonlyArray<DeviceType>
        readonly commands: ReadonlyArray<CommandSlug>
        readonly canChooseAnother: boolean
      }
    | {
        /** A local device or account is named by a form. */
        readonly page: "form"
        readonly manufacturer: string
        readonly fields: ReadonlyArray<FormField>
        readonly form: FormState
        /** Why the connection failed, for people; null before the first attempt. */
        readonly failure: string | null
      }
    | {
        /** The person is at the manufacturer, or the device has yet to dial in. The page asks again by itself. */
        readonly page: "waiting"
        readonly manufacturer: string
        /** For those who lost the manufacturer's page; null for devices that dial in. */
        readonly authorizationUrl: string | null
        readonly instructions: ReadonlyArray<Instruction>
      }
    | {
        readonly page: "system"
        readonly manufacturer: string
        readonly devices: ReadonlyArray<ShownDevice>
        /** Fields: streetOne, streetTwo, city, state, postalCode, country; null where the site is given. */
        readonly address: FormState | null
        readonly problem: FieldProblem | null
      }
    | {
        readonly page: "done"
        readonly manufacturer: string
        readonly devices: ReadonlyArray<{ readonly name: string; readonly type: DeviceType }>
        readonly interventions: ReadonlyArray<Intervention & { readonly deviceName: string }>
        /** Address at which the visitor goes on, with the session and its key in the query; null: the page may be closed. */
        readonly returnUrl: string | null
      }
    | {
        readonly page: "error"
        readonly error: ConnectError
        readonly manufacturer: string | null
        /** Whether the session can be tried again. */
        readonly canRetry: boolean
        readonly returnUrl: string | null
      }
    | {
        /** The link does not exist. */
        readonly page: "unknown"
      }
  )
export type FlowPage = FlowView["page"]
