import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { Authorization, FormField, Instruction } from "../adapters/ManufacturerAdapter.ts"
import type { FieldProblem, FormState } from "../platform/pages/formState.ts"
import type { PageContext } from "../platform/pages/layout.ts"

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

/** The page of a session that comes next, with its data. */
export type FlowView = PageContext &
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
