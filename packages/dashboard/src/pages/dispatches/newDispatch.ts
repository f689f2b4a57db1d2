import type { CreateDispatch } from "@edp/domain/dispatches/Dispatch"
import { DateTime } from "effect"
import { fromLocalText } from "../../i18n/period.ts"

/** The types of devices that the form has, with the actions that need no further fields. */
export const formActions = {
  battery: ["discharge", "charge", "idle"],
  charger: ["stop-charging", "start-charging"],
  vehicle: ["stop-charging", "start-charging"]
} as const
export type FormType = keyof typeof formActions
export type FormAction = (typeof formActions)[FormType][number]

export const startChoices = ["10", "60", "time"] as const
export type StartChoice = (typeof startChoices)[number]

/** The values that were typed into the form. */
export interface DispatchForm {
  readonly name: string
  /** Minutes from now, or the time of `start`. */
  readonly startIn: StartChoice
  /** A local time of the workspace, as a browser's field gives it: `2026-07-14T17:00`. */
  readonly start: string
  readonly minutes: string
  readonly type: FormType
  readonly action: FormAction
  readonly grid: boolean
  readonly power: string
  readonly nominated: string
  readonly random: string
  readonly voluntary: boolean
  readonly test: boolean
  readonly draft: boolean
}

/** The fields with a wrong value, and why: keys of the messages of the page. */
export type FormProblems = Readonly<Partial<Record<keyof DispatchForm, "future" | "positive" | "whole">>>

/** An hour from the next full hour on, in a time zone. */
export const startFrom = (now: number, timeZone: string): string => {
  const next = DateTime.startOf(DateTime.makeZonedUnsafe(now + 7_200_000, { timeZone }), "hour")
  return DateTime.formatIsoZoned(next).slice(0, 16)
}

/** The instant at which the dispatch begins, in milliseconds since 1970; undefined without a time. */
export const formStart = ({ start, startIn }: DispatchForm, timeZone: string, now: number): number | undefined =>
  startIn === "time" ? fromLocalText(start, timeZone) : now + Number(startIn) * 60_000

const isPositive = (text: string) => text.trim() === "" || Number(text) > 0

/** Whether a power can be asked for with an action. */
export const takesPower = (action: FormAction) => action !== "idle" && action !== "stop-charging"

export const formProblems = (form: DispatchForm, timeZone: string, now: number): FormProblems => {
  const start = formStart(form, timeZone, now)
  const minutes = Number(form.minutes)
  return {
    ...(start !== undefined && start <= now && { start: "future" as const }),
    ...(!(Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440) && { minutes: "whole" as const }),
    ...(!isPositive(form.power) && { power: "positive" as const }),
    ...(!isPositive(form.nominated) && { nominated: "positive" as const }),
    ...(!(form.random.trim() === "" || Number(form.random) >= 0) && { random: "positive" as const })
  }
}

/** The request of a form without problems. */
export const toCreateDispatch = (form: DispatchForm, timeZone: string, now: number): CreateDispatch => {
  const action = {
    operatingMode: form.action,
    ...(form.type === "battery" && form.action !== "idle" && form.grid && { enableGridInteraction: true }),
    ...(takesPower(form.action) && form.power.trim() !== "" && { targetPowerW: Number(form.power) })
  }
  return {
    name: form.name.trim(),
    intervals: [
      {
        startsAt: new Date(formStart(form, timeZone, now)!).toISOString(),
        durationSeconds: Number(form.minutes) * 60,
        actions: { [form.type]: action }
      }
    ],
    voluntary: form.voluntary,
    test: form.test,
    status: form.draft ? "draft" : "scheduled",
    ...(form.nominated.trim() !== "" && { nominatedPowerW: Number(form.nominated) }),
    ...(form.random.trim() !== "" && { randomizeStartSeconds: Number(form.random) })
  } as CreateDispatch
}
