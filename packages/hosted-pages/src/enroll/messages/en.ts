import { commonMessages } from "../../scene/messages/messages.ts"
import type { Closed, FormFailure } from "../pageTypes.ts"

/** All messages of the enrollment pages in English. The other languages have its type: a missing message does not compile. */
export const en = {
  ...commonMessages.en,

  program: {
    who: "Who can take part",
    states: (states: string) => `Homes in ${states}`,
    everywhere: "Homes in every state",
    dates: "Dates",
    deadline: "Enroll by",
    activatesAt: "You take part from",
    atOnce: "You can enroll at any time.",
    needs: "What you need",
    needed: {
      details: "your name, email address and home address",
      signIn: "the sign-in for the app of your device"
    },
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
  } satisfies Record<Closed, ClosedText> as Record<Closed, ClosedText>,
  closedWayOn: (asker: string) => `Ask ${asker} about other programs.`,
  ineligible: {
    title: "You cannot take part",
    lead: (title: string) => `Thank you for your interest in ${title}. It is not open to your home.`,
    reasons: "Why",
    state: (state: string, states: string) => `Your home is in ${state}. The program takes homes in ${states}.`,
    devices: "The devices that are connected at your home do not meet the conditions of the program.",
    conditions: "Conditions of the program",
    wayOn: (asker: string) => `If you think that this is wrong, ask ${asker}.`
  },
  status: {
    connectTitle: "One step left: connect your device",
    connectNext: "Next step: connect your device",
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
    confirmEmail: (email: string) =>
      `Open the link in the email that we send to ${email}. If you do not find it within a few minutes, look in your junk mail.`,
    sendAgain: "Send the email again",
    actions: {
      details: "Tell us about you and your home",
      confirm_email: "Confirm your email address",
      terms: "Accept the terms",
      connect_device: "Connect a device at your home",
      approve: "Approve the enrollment"
    }
  },
  confirm: {
    openTitle: "Confirm your email address",
    openLead: (title: string) => `You, or somebody who gave your email address, want to take part in ${title}.`,
    button: "Confirm",
    ignore: "If it was not you, close this page. Nothing happens then.",
    confirmedTitle: "Your email address is confirmed",
    confirmedLead:
      "Thank you. You can close this page, or go on with your enrollment in the browser in which you began it.",
    alreadyTitle: "You take part already",
    alreadyLead: (title: string) =>
      `This email address takes part in ${title} with an earlier enrollment. You need not do anything.`,
    goOn: "Go on with your enrollment",
    expiredTitle: "This link has expired",
    expiredLead: "Open your enrollment in the browser in which you began it, and have the email sent again.",
    usedTitle: "This link does not work any more",
    usedLead:
      "It works once, and the link of a newer email replaces it. If you have confirmed your address, all is well."
  },
  mails: {
    confirm: {
      subject: (title: string) => `Confirm your email address for ${title}`,
      lead: (title: string, asker: string) =>
        `Somebody gave this email address to enroll in ${title} of ${asker}. Please confirm that it was you.`,
      action: "Confirm your email address",
      works: (days: number) => `The link works once, within ${days} days.`,
      ignore: "If it was not you, ignore this email: without the confirmation the address does not count."
    },
    takesPart: {
      subject: (title: string) => `You take part in ${title} already`,
      lead: (title: string, asker: string) =>
        `Somebody gave this email address to enroll in ${title} of ${asker}. It takes part already, so nothing has changed.`,
      nothing: (asker: string) => `You need not do anything. If you wanted to change something, ask ${asker}.`
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
    title: "Page not found",
    lead: "The address is incomplete, or the program was removed.",
    wayOn: "Open the link that you were given again, or ask for a new one."
  }
}

interface ClosedText {
  readonly title: string
  /** The date, in the page's language. */
  readonly happened: (date: string | null) => string
}

export type Messages = typeof en
