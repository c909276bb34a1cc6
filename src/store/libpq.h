// SPDX-License-Identifier: Apache-2.0
//
// libpq, PostgreSQL's client library: loaded when a store is at an address, since linked it would bring
// twenty libraries (Kerberos, LDAP, TLS) into every process of assay.
#ifndef STORE_LIBPQ_H
#define STORE_LIBPQ_H

#include <libpq-fe.h>

#include "base/err.h"

#define LIBPQ_FUNCTIONS(X)                                                                                   \
    X(PQclear)                                                                                               \
    X(PQconnectdbParams)                                                                                     \
    X(PQconninfoFree)                                                                                        \
    X(PQconninfoParse)                                                                                       \
    X(PQenterPipelineMode)                                                                                   \
    X(PQerrorMessage)                                                                                        \
    X(PQexec)                                                                                                \
    X(PQexecParams)                                                                                          \
    X(PQexitPipelineMode)                                                                                    \
    X(PQfinish)                                                                                              \
    X(PQgetResult)                                                                                           \
    X(PQgetisnull)                                                                                           \
    X(PQgetlength)                                                                                           \
    X(PQgetvalue)                                                                                            \
    X(PQntuples)                                                                                             \
    X(PQpipelineStatus)                                                                                      \
    X(PQpipelineSync)                                                                                        \
    X(PQresultErrorField)                                                                                    \
    X(PQresultStatus)                                                                                        \
    X(PQsendPrepare)                                                                                         \
    X(PQsendQueryPrepared)                                                                                   \
    X(PQsetNoticeReceiver)                                                                                   \
    X(PQstatus)

// The functions under their own names, with the types that libpq-fe.h gives them.
struct libpq {
#define MEMBER(name) __typeof__(name) *name;
    LIBPQ_FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct libpq libpq; // since libpq_load

// Loads it, once. ERR_UNAVAILABLE: it is not there, or older than PostgreSQL 14's.
int libpq_load(struct err *err);

#endif
