"""Modbus servers on pymodbus, with the registers that the standard input gives.

The first line of the input is a JSON list of servers, each with its registers by unit, table and address: {"1": {"holding": {"40000": [1, 2]}}},
its port, 0 for any free one, and its transport: "tcp", "serial" (RTU over TCP) or "tls". Prints the ports, and ends with its input. Addresses
that are not given are refused, as are units. The arguments are the files of a certificate and its key, for TLS.
"""

import asyncio
import json
import ssl
import sys

from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.server.async_io import ModbusTcpServer, ModbusTlsServer
from pymodbus.transaction import ModbusRtuFramer, ModbusSocketFramer


def block(ranges):
    values = {}
    for address, words in ranges.items():
        for n, word in enumerate(words):
            values[int(address) + n] = word
    # pymodbus takes an empty block for a missing one.
    return ModbusSparseDataBlock(values or {70000: 0})


def context(units):
    slaves = {
        int(unit): ModbusSlaveContext(
            di=block({}),
            co=block({}),
            hr=block(tables.get("holding", {})),
            ir=block(tables.get("input", {})),
            zero_mode=True,
        )
        for unit, tables in units.items()
    }
    return ModbusServerContext(slaves=slaves, single=False)


def server(registers, port, transport):
    # A restarted server takes the port over at once.
    options = {"address": ("127.0.0.1", port), "allow_reuse_address": True}
    if transport == "tls":
        secured = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secured.load_cert_chain(sys.argv[1], sys.argv[2])
        return ModbusTlsServer(context(registers), framer=ModbusSocketFramer, sslctx=secured, **options)
    framer = ModbusRtuFramer if transport == "serial" else ModbusSocketFramer
    return ModbusTcpServer(context(registers), framer=framer, **options)


async def main():
    servers = [server(**one) for one in json.loads(sys.stdin.readline())]
    serving = [asyncio.ensure_future(one.serve_forever()) for one in servers]
    for one in servers:
        await one.serving
    print(" ".join(str(one.server.sockets[0].getsockname()[1]) for one in servers), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for one in serving:
        one.cancel()


asyncio.run(main())
