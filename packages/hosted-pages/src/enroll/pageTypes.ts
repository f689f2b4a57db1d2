import type { Enrollment } from "@edp/domain/enrollments/Enrollment"
import type { Intervention, InterventionCode } from "@edp/domain/devices/Intervention"
import type { FormState } from "../scene/formState.ts"
import type { PageContext } from "../scene/scene.ts"

/** A program instance, as a person sees it. */
export interface ShownProgram {
  readonly title: string
  readonly description: string
  /** Conditions in the operator's words; empty if nothing is said. */
  readonly eligibilityCriteria: string
  /** Names of states; empty for every state. */
  readonly states: ReadonlyArray<string>
  /** Instants in ISO 8601; null if enrollments are taken at any time. */
  readonly period: { readonly deadline: string; readonly activatesAt: string } | null
  /** Empty if there is nothing to accept. */
  readonly terms: string
  readonly termsVersion: number
}

/** Why a program instance takes no enrollments now. */
export type Closed = "inactive" | "archived" | "program_inactive" | "not_begun" | "ended" | "deadline_passed"

/** Why a form without a problem in its fields was not taken. */
export type FormFailure = "not_from_page" | "terms_changed" | "too_many" | "location_service"

/** Why a person can't take part. */
export type IneligibleReason =
  /** The home is elsewhere. */
  | { readonly code: "state_not_served"; readonly state: string }
  /** The devices that the visitor has connected do not suffice; the sentences are in English. */
  | { readonly code: "criteria_not_met"; readonly sentences: ReadonlyArray<string> }

/** Something that the enrollment needs. */
export type ShownAction =
  | {
      readonly code: "details" | "confirm_email" | "terms" | "connect_device" | "approve"
      readonly actor: Intervention["actor"]
      readonly done: boolean
    }
  | {
      readonly code: "intervention"
      readonly intervention: InterventionCode
      readonly deviceName: string
      readonly actor: Intervention["actor"]
      readonly done: false
    }

/** `already`: whoever has the address takes part with another enrollment. */
export type Confirmation = "confirmed" | "already" | "expired" | "unknown"

/** A page of the enrollment, with its data. */
export type EnrollView = PageContext &
  (
    | { readonly page: "program"; readonly program: ShownProgram; readonly hasBegun: boolean }
    | {
        /** Fields: firstName, lastName, email, phone, streetOne, streetTwo, city, state, postalCode, country. */
        readonly page: "apply"
        readonly program: ShownProgram
        readonly form: FormState
        readonly accepted: boolean
        /** The terms have to be accepted. */
        readonly needsAcceptance: boolean
        readonly failure: FormFailure | null
        /** Proves that the form comes from this page. */
        readonly formToken: string
      }
    | {
        readonly page: "closed"
        readonly title: string
        readonly closed: Closed
        readonly at: string | null
      }
    | {
        readonly page: "ineligible"
        readonly program: ShownProgram
        readonly reasons: ReadonlyArray<IneligibleReason>
      }
    /** Somebody with this e-mail address is enrolled. Nothing else is said. */
    | {
        readonly page: "status"
        readonly program: ShownProgram
        readonly status: Exclude<Enrollment["status"], "ineligible">
        /** The operator's words on a rejection or an end. */
        readonly reason: string | null
        readonly actions: ReadonlyArray<ShownAction>
        /** Whether the visitor can go on to connect a device. */
        readonly canConnect: boolean
        /** The devices are connected already, by another session. */
        readonly isDuplicate: boolean
        readonly activatesAt: string | null
        /** The address that a link in a mail has yet to confirm; null if there is no such mail. */
        readonly unconfirmedEmail: string | null
      }
    /** A link of a mail: it confirms an e-mail address once its button is pressed. */
    | {
        readonly page: "confirm"
        readonly title: string
        readonly link: "open" | Confirmation
        /** Whether the browser has begun an enrollment. */
        readonly hasBegun: boolean
      }
    /** Back from the connect pages in a browser that does not know the enrollment. */
    | { readonly page: "returned" }
    /** The link of an enrollment works no more. */
    | { readonly page: "expired" }
    | { readonly page: "unknown" }
  )
