import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { Authorization, FormField, Instruction } from "@edp/adapter-kit/ManufacturerAdapter"
import type { FieldProblem, FormState } from "../scene/formState.ts"
import type { PageContext } from "../scene/scene.ts"

export interface ShownManufacturer {
  readonly slug: string
  readonly name: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly logoUrl: string | null
  /** Its products that the visitor searched for. */
  readonly products: ReadonlyArray<string>
  /** False: chosen, it leads to the page `unsupported`. */
  readonly connectable: boolean
}

export interface ShownDevice {
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
  readonly name: string
  readonly model: string
  readonly serialNumber: string | null
  /** Why it cannot be connected, as shown to users; null for a usable one. */
  readonly incompatible: string | null
  /** Another account has connected it. */
  readonly isTaken: boolean
  readonly selected: boolean
}

/** The page of a session that comes next, with its data. */
/**
 * Why a form was not enough: what the device or the adapter says, as shown to users; nothing was reached, of which nothing more is said; the link or the
 * visitor's network has had its attempts.
 */
export type FormFailure = { readonly says: string } | "unreached" | "link_spent" | "too_many"

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
        /** Accounts and devices of this manufacturer that the person has connected before. */
        readonly connected: ReadonlyArray<string>
        readonly canChooseAnother: boolean
        /** The person connects an account again whose access has ended. */
        readonly reconnects: boolean
      }
    | {
        /** A local device or account is named by a form. */
        readonly page: "form"
        readonly manufacturer: string
        readonly fields: ReadonlyArray<FormField>
        readonly form: FormState
        /** Why the connection failed; null before the first attempt. */
        readonly failure: FormFailure | null
      }
    | {
        /** The person is at the manufacturer, or the device has yet to connect. The page asks again by itself. */
        readonly page: "waiting"
        readonly manufacturer: string
        /** For those who lost the manufacturer's page; null for devices with inbound connections. */
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
        /** Whether a button leads back to the caller. The page itself holds no key. */
        readonly canReturn: boolean
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
        /** After a return from the manufacturer with which this browser goes on nowhere. It says nothing about the session. */
        readonly page: "returned"
        readonly manufacturer: string
        /** The session's page, for a browser that has opened it. */
        readonly continueUrl: string | null
      }
    | {
        /** The link does not exist. */
        readonly page: "unknown"
      }
  )
export type FlowPage = FlowView["page"]
