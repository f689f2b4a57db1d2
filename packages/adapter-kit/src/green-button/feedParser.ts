import { SaxesParser, type SaxesTagNS } from "saxes"
import { qualityProblem } from "./espiCodes.ts"
import type { Block, EntryLinks, Feed } from "./Feed.ts"
import { type ElementProblem, FeedProblem, takes } from "./FeedProblem.ts"
import { ReadingColumns } from "./ReadingColumns.ts"

const ATOM = "http://www.w3.org/2005/Atom"
const ESPI = "http://naesb.org/espi"
const CUSTOMER = "http://naesb.org/espi/customer"

const KEPT_PROBLEMS = 20
const MOST_ENTRIES = 500_000
const MOST_DEPTH = 64
/** The longest text, tag or comment, characters. */
const LONGEST = 1_048_576
const LONGEST_KEPT = 1000

const FEED = "an Atom feed of Green Button, as a utility offers it for download"

const typeFields = new Set([
  "accumulationBehaviour",
  "commodity",
  "consumptionTier",
  "cpp",
  "dataQualifier",
  "defaultQuality",
  "flowDirection",
  "intervalLength",
  "powerOfTenMultiplier",
  "tou",
  "uom"
])

const whole = /^[+-]?\d{1,15}$/u
const decimal = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/u

const newEntry = (line: number): EntryLinks => ({ line, id: "", title: "", self: "", up: "", related: [] })

/** Parses the text of a feed, chunk by chunk. Invalid values are collected; a `FeedProblem` ends it. */
export const feedParser = () => {
  const parser = new SaxesParser({ xmlns: true })
  const feed: Feed = {
    usagePoints: [],
    meterReadings: [],
    readingTypes: [],
    blocks: [],
    readings: new ReadingColumns(),
    customers: false,
    problems: [],
    problemCount: 0
  }
  /** Local names; those of other namespaces are empty. */
  const path: Array<string> = []
  let text = ""
  let quiet = 0
  let started = false
  let entries = 0
  let entry: EntryLinks | undefined
  let block: Block | undefined
  let fields: Record<string, number> | undefined
  let reading = { start: Number.NaN, duration: Number.NaN, value: Number.NaN, quality: -1, line: 0 }

  const fail = (problem: string): never => {
    throw new FeedProblem(parser.line, problem)
  }
  const refuse = (problem: ElementProblem) => {
    feed.problemCount++
    if (feed.problems.length < KEPT_PROBLEMS) feed.problems.push(problem)
  }
  const number = (element: string, form: RegExp, what: string) => {
    const given = text.trim()
    if (form.test(given)) return Number(given)
    refuse(takes(parser.line, element, what))
    return Number.NaN
  }
  const integer = (element: string) => number(element, whole, "an integer")

  const openRoot = ({ local, uri }: SaxesTagNS) => {
    if (uri === ATOM && (local === "feed" || local === "entry")) return
    if (local.toLowerCase() === "html") fail(`the file is a web page; it takes ${FEED}`)
    fail(`element ${local}: takes feed of the namespace ${ATOM}, ${FEED}`)
  }

  const openAtom = ({ attributes, local }: SaxesTagNS) => {
    if (local === "entry") {
      if (++entries > MOST_ENTRIES) fail(`element entry: takes at most ${MOST_ENTRIES} in a file`)
      entry = newEntry(parser.line)
    } else if (local === "link" && entry !== undefined && path.at(-1) === "entry") {
      const href = attributes["href"]?.value.slice(0, LONGEST_KEPT) ?? ""
      const rel = attributes["rel"]?.value
      if (rel === "self") entry.self = href
      else if (rel === "up") entry.up = href
      else if (rel === "related") entry.related.push(href)
    }
  }

  const openEspi = (local: string) => {
    if (entry === undefined) return
    const parent = path.at(-1)
    if (parent === "content") {
      if (local === "UsagePoint") feed.usagePoints.push({ entry, service: 0 })
      else if (local === "MeterReading") feed.meterReadings.push({ entry })
      else if (local === "IntervalBlock") {
        const { length } = feed.readings
        block = { entry, line: parser.line, start: Number.NaN, from: length, to: length }
      }
    }
    if (local === "ReadingType" && (parent === "content" || parent === "MeterReading")) fields = {}
    else if (local === "IntervalReading") {
      reading = { start: Number.NaN, duration: Number.NaN, value: Number.NaN, quality: -1, line: parser.line }
    }
  }

  const closeAtom = (local: string) => {
    if (entry === undefined) return
    if (local === "entry") entry = undefined
    else if (path.at(-1) !== "entry") return
    else if (local === "id") entry.id = text.trim().slice(0, LONGEST_KEPT)
    else if (local === "title") entry.title = text.trim().slice(0, LONGEST_KEPT)
  }

  const closeReading = () => {
    const { duration, line, quality, start, value } = reading
    if (!feed.readings.add(start, duration, value, quality, line)) fail("the file has too many interval readings")
    block!.to = feed.readings.length
  }

  const closeInBlock = (local: string, parent: string | undefined) => {
    if (local === "IntervalReading") closeReading()
    else if (local === "IntervalBlock") {
      feed.blocks.push(block!)
      block = undefined
    } else if (parent === "interval" && local === "start") block!.start = integer("interval/start")
    else if (parent === "timePeriod" && local === "start") reading.start = integer("timePeriod/start")
    else if (parent === "timePeriod" && local === "duration") reading.duration = integer("timePeriod/duration")
    else if (parent === "IntervalReading" && local === "value") {
      reading.value = number("IntervalReading/value", decimal, "a number")
    } else if (parent === "ReadingQuality" && local === "quality") {
      const quality = integer("ReadingQuality/quality")
      // One quality that says "not measured" is enough.
      if (qualityProblem(reading.quality) === undefined) reading.quality = quality
    }
  }

  const closeEspi = (local: string) => {
    const parent = path.at(-1)
    if (block !== undefined) closeInBlock(local, parent)
    else if (parent === "ServiceCategory" && local === "kind") {
      const usagePoint = feed.usagePoints.at(-1)
      const kind = integer("ServiceCategory/kind")
      if (usagePoint?.entry === entry && usagePoint !== undefined) usagePoint.service = kind
    } else if (fields !== undefined && parent === "ReadingType" && typeFields.has(local)) {
      fields[local] = integer(`ReadingType/${local}`)
    } else if (fields !== undefined && local === "ReadingType") {
      const meterReading = feed.meterReadings.at(-1)
      if (parent === "MeterReading" && meterReading !== undefined) meterReading.type = fields
      else if (entry !== undefined) feed.readingTypes.push({ entry, fields })
      fields = undefined
    }
  }

  parser.on("opentag", (tag) => {
    quiet = 0
    text = ""
    if (path.length === 0) openRoot(tag)
    if (path.length >= MOST_DEPTH) fail(`element ${tag.local}: takes at most ${MOST_DEPTH} levels`)
    if (tag.uri === ATOM) openAtom(tag)
    else if (tag.uri === ESPI) openEspi(tag.local)
    else if (tag.uri === CUSTOMER) feed.customers = true
    path.push(tag.uri === ATOM || tag.uri === ESPI ? tag.local : "")
  })
  parser.on("closetag", ({ local, uri }) => {
    quiet = 0
    path.pop()
    if (uri === ATOM) closeAtom(local)
    else if (uri === ESPI) closeEspi(local)
    text = ""
  })
  const keepText = (more: string) => {
    quiet = 0
    if (text.length <= LONGEST_KEPT) text += more
  }
  parser.on("text", keepText)
  parser.on("cdata", keepText)
  parser.on("comment", () => void (quiet = 0))
  parser.on("processinginstruction", () => void (quiet = 0))
  parser.on("doctype", (doctype) =>
    /^\s*html/iu.test(doctype)
      ? fail(`the file is a web page; it takes ${FEED}`)
      : fail("a DOCTYPE is refused: a Green Button file has none")
  )
  parser.on("error", ({ message }) => {
    const problem = message.replace(/^\d+:\d+: /u, "").replace(/\.$/u, "")
    const within = path.at(-1)
    if (/^unclosed tag|^unexpected end/u.test(problem)) {
      fail(`the file ends within the element ${within ?? "feed"}: it is incomplete; download it again`)
    }
    fail(`it is not well-formed XML (${problem})`)
  })

  return {
    write: (chunk: string) => {
      if (!started) {
        const first = chunk.trimStart()
        if (first === "") return
        started = true
        if (first.startsWith("{") || first.startsWith("[")) fail(`the file is JSON; it takes ${FEED}`)
        if (!first.startsWith("<")) fail(`the file is not XML; it takes ${FEED}`)
        // Text before the XML declaration, such as an empty line, is not well-formed, but some downloads begin with it.
        chunk = first
      }
      quiet += chunk.length
      if (quiet > LONGEST + chunk.length) fail(`a text or a tag is longer than ${LONGEST} characters`)
      parser.write(chunk)
    },
    end: (): Feed => {
      if (!started) fail(`the file is empty; it takes ${FEED}`)
      parser.close()
      return feed
    }
  }
}
