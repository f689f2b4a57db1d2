import { Alert } from "@edp/domain/alerts/Alert"
import { Command } from "@edp/domain/commands/Command"
import { ConnectSession } from "@edp/domain/connections/ConnectSession"
import { Customer } from "@edp/domain/customers/Customer"
import { Enrollment } from "@edp/domain/enrollments/Enrollment"
import type { Event } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"
import { exampleEvent } from "@edp/domain/openapi/eventExamples"
import { exampleIds } from "@edp/domain/shared/exampleIds"
import { Site } from "@edp/domain/sites/Site"

const schemas = { Alert, Command, ConnectSession, Customer, Enrollment, Site }

const exampleOf = (name: string) => {
  const { ast } = schemas[name as keyof typeof schemas]
  const [example] = (ast.annotations as { readonly examples?: ReadonlyArray<object> }).examples ?? []
  if (example === undefined) throw new Error(`${name} has no example`)
  return example
}

/** No event of a workspace is before it, so a receiver that keeps the last sequence of each subject stays right. */
const FIRST = 1

/** An event as the reference shows one of its type, for a receiver to be tried with. Commands are what there is without a type. */
export const sampleEvent = (type: EventType = "COMMAND_SCHEDULED", id: string, workspaceId: string, now: number) => {
  const example = JSON.stringify(exampleEvent(type, exampleOf)).replaceAll(exampleIds.workspace, workspaceId)
  return { ...JSON.parse(example), id, sequence: FIRST, timestamp: new Date(now).toISOString() } as Event
}
