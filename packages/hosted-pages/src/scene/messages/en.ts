import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { InterventionCode, interventionActors } from "@edp/domain/devices/Intervention"
import type { FieldProblem } from "../formState.ts"

export interface InterventionText {
  readonly title: string
  readonly step: string
}

type Actor = (typeof interventionActors)[number]

/** Messages that all hosted pages share, in English. The other languages have its type: a missing message does not compile. */
export const en = {
  /** Stands for the name of the asking party where it is not known. */
  unknownAsker: "the service that sent you here",
  documentTitle: (heading: string, asker: string | null) => (asker === null ? heading : `${heading} – ${asker}`),
  errorTitlePrefix: "Error: ",
  progress: (step: number, of: number) => `Step ${step} of ${of}`,
  optional: "(optional)",
  language: "Language",
  /** Before the ways to ask the asking party. */
  questions: "Questions?",
  continue: "Continue",
  problemsTitle: "Please check your answers",
  choose: "Choose",
  person: {
    legend: "About you",
    fields: {
      firstName: "First name",
      lastName: "Last name",
      email: "Email address",
      phone: "Phone number"
    }
  },
  address: {
    legend: "Address of the devices",
    fields: {
      streetOne: "Street address",
      streetTwo: "Apartment, suite or unit",
      city: "City",
      state: "State or region",
      postalCode: "Postal code",
      country: "Country"
    }
  },
  leaving: {
    title: "One moment",
    lead: (host: string) => `We are taking you to ${host}.`,
    goOn: "Continue",
    check: "Signed in already? Show what comes next"
  },
  refusedForm: {
    title: "We could not read the form",
    happened: "What your browser sent was incomplete or too long.",
    wayOn: "Go back to the page and send it again.",
    goOn: "Back to the page"
  },
  failure: {
    title: "Something went wrong",
    happened: "An error on our side kept us from showing this page.",
    wayOn: (asker: string) => `If it happens again, tell ${asker}.`,
    retry: "Try again"
  },
  problems: {
    required: (label: string) => `${label}: please fill this in`,
    too_long: (label: string) => `${label}: this is too long`,
    invalid_email: (label: string) => `${label}: enter an address such as name@example.com`,
    invalid_phone: (label: string) => `${label}: enter a number such as +1 916 555 0142`,
    invalid_address: (label: string) => `${label}: we cannot find this address`,
    invalid_choice: (label: string) => `${label}: choose one of the options`,
    invalid_number: (label: string) => `${label}: enter a whole number in the allowed range`,
    invalid_host: (label: string) => `${label}: enter a host name or address in your network, such as 192.168.1.20`,
    select_one: (label: string) => `${label}: select at least one`
  } satisfies Record<FieldProblem, (label: string) => string>,
  deviceTypes: {
    battery: "Battery",
    charger: "EV charger",
    inverter: "Solar inverter",
    meter: "Energy meter",
    thermostat: "Thermostat",
    vehicle: "Electric vehicle",
    water_heater: "Water heater",
    other: "Other device",
    unknown: "Device"
  } satisfies Record<DeviceType, string> as Record<DeviceType, string>,
  interventions: {
    key_not_paired: {
      title: "The device does not accept commands yet",
      step: "Approve the key of this service in the manufacturer’s app."
    },
    scope_missing: {
      title: "A permission is missing",
      step: "Sign in at the manufacturer again and allow all requested permissions."
    },
    plan_required: {
      title: "A subscription is needed",
      step: "Book the plan that includes this function in the manufacturer’s app."
    },
    terms_not_accepted: {
      title: "New terms have to be accepted",
      step: "Open the manufacturer’s app and accept its terms."
    },
    storm_mode: {
      title: "The device is preparing for a storm",
      step: "Wait until the storm warning ends, or turn storm mode off in the manufacturer’s app."
    },
    local_access_disabled: {
      title: "Local access is turned off",
      step: "Turn on local access in the settings of the device."
    },
    sign_in_again: {
      title: "You have to sign in again",
      step: "Connect the account once more by a new link."
    }
  } satisfies Record<InterventionCode, InterventionText> as Record<InterventionCode, InterventionText>,
  actors: {
    owner: "For you",
    installer: "For your installer",
    operator: "For the operator of this service",
    manufacturer: "For the manufacturer"
  } satisfies Record<Actor, string> as Record<Actor, string>
}

export type CommonMessages = typeof en
