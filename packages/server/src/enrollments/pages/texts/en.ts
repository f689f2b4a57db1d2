import { commonTexts } from "../../../platform/pages/texts/texts.ts"
import type { FormFailure } from "../../enrollView.ts"
import type { Closure } from "../../openness.ts"

const list = (names: ReadonlyArray<string>) => new Intl.ListFormat("en", { type: "disjunction" }).format(names)

/** All texts of the enrollment pages in English. The other languages have its type: a missing text does not compile. */
export const en = {
  ...commonTexts.en,

  program: {
    who: "Who can take part",
    states: (names: ReadonlyArray<string>) => `Homes in ${list(names)}`,
    everywhere: "Homes in every state",
    dates: "Dates",
    deadline: "Enroll by",
    activatesAt: "You take part from",
    atOnce: "You can enroll at any time.",
    needs: "What you need",
    needed: ["your name, email address and home address", "the sign-in for the app of your device"],
    start: "Enroll now",
    begun: "You began to enroll in this browser.",
    goOn: "Go on with your enrollment"
  },
  apply: {
    title: "You and your home",
    lead: (asker: string) => `${asker} needs these details to enroll you.`,
    home: "Your home",
    terms: "Terms of the program",
    accept: "I have read the terms and accept them",
    acceptProblem: "Accept the terms to enroll",
    send: "Continue",
    failures: {
      not_from_page:
        "We could not tell that this form came from our page. Allow cookies for this page, and send it again.",
      terms_changed: "The terms have changed. Please read them again before you accept them.",
      too_many: "Too many enrollments came from your network. Wait a minute, and send the form again.",
      location_service: "We cannot look up your address at the moment. Send the form again in a few minutes."
    } satisfies Record<FormFailure, string> as Record<FormFailure, string>,
    failed: "We could not enroll you yet"
  },
  closed: {
    inactive: { title: "No enrollments at the moment", happened: () => "This program takes no enrollments for now." },
    program_inactive: {
      title: "No enrollments at the moment",
      happened: () => "The program takes no enrollments for now."
    },
    archived: { title: "This program has ended", happened: () => "It takes no more enrollments." },
    not_begun: {
      title: "This program has not begun",
      happened: (date: string | null) =>
        date === null ? "It takes no enrollments yet." : `You can enroll from ${date} on.`
    },
    ended: { title: "This program has ended", happened: () => "It takes no more enrollments." },
    deadline_passed: {
      title: "The deadline has passed",
      happened: (date: string | null) =>
        date === null ? "It takes no more enrollments." : `Enrollments were taken until ${date}.`
    }
  } satisfies Record<Closure["closed"], ClosedText> as Record<Closure["closed"], ClosedText>,
  closedWayOn: (asker: string) => `Ask ${asker} about other programs.`,
  ineligible: {
    title: "You cannot take part",
    lead: (title: string) => `Thank you for your interest in ${title}. It is not open to your home.`,
    reasons: "Why",
    state: (state: string, served: ReadonlyArray<string>) =>
      `Your home is in ${state}. The program takes homes in ${list(served)}.`,
    devices: "The devices that are connected at your home do not meet the conditions of the program.",
    conditions: "Conditions of the program",
    wayOn: (asker: string) => `If you think that this is wrong, ask ${asker}.`
  },
  enrolled: {
    title: "This email address is enrolled",
    lead: "There is an enrollment with the email address that you entered, so we did not begin another one.",
    wayOn: (asker: string) =>
      `If it is yours, open the link of your enrollment, or this page in the browser in which you began. Otherwise ask ${asker}.`
  },
  status: {
    connectTitle: "One step left: connect your device",
    connectLead: (title: string) => `We have your details for ${title}. Now connect the device that takes part.`,
    waitingTitle: "Thank you, we have your enrollment",
    waitingLead: (asker: string) => `${asker} decides about your enrollment.`,
    nothing: "You need not do anything until then.",
    checkingTitle: "Thank you, your device is connected",
    checkingLead: "We check whether it meets the conditions of the program as soon as it reports.",
    approvedTitle: "You take part",
    approvedLead: (title: string) => `Your enrollment in ${title} is approved.`,
    rejectedTitle: "Your enrollment was not accepted",
    rejectedLead: (asker: string) => `${asker} did not accept it. Ask there if you have questions.`,
    unenrolledTitle: "Your enrollment has ended",
    unenrolledLead: (title: string) => `You no longer take part in ${title}.`,
    reason: (reason: string) => `Reason: ${reason}`,
    activatesAt: "You take part from",
    steps: "What is still to be done",
    noSteps: "Steps",
    done: "Done",
    open: "To do",
    connect: "Connect a device",
    connectAnother: "Connect another device",
    duplicate: (asker: string) =>
      `Your device is already connected with ${asker} under another enrollment or account. Ask ${asker} to add it to the program.`,
    keep: "You can come back to this page: keep its address, or open it again in this browser. Do not share it.",
    actions: {
      details: "Tell us about you and your home",
      terms: "Accept the terms",
      connect_device: "Connect a device at your home",
      approve: "Approve the enrollment"
    }
  },
  returned: {
    title: "Welcome back",
    lead: "You can close this page, or open the link of your enrollment to see what is still to be done."
  },
  expired: {
    title: "This link has expired",
    lead: "The link of an enrollment works for 90 days.",
    wayOn: (asker: string) => `Ask ${asker} how your enrollment stands.`
  },
  unknown: {
    title: "There is no such page",
    lead: "The address is incomplete, or the program was removed.",
    wayOn: "Open the link that you were given again, or ask for a new one."
  }
}

interface ClosedText {
  readonly title: string
  /** The date, in the page's language. */
  readonly happened: (date: string | null) => string
}

export type Texts = typeof en
