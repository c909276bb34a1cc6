# A password goes through TLS or nowhere: curl is told so, for it asks a server of smtp:// for none by itself. Without a password TLS is taken where
# it is offered. A server on this machine may be left out of it. Each address of email_to is a recipient.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
mkdir ../bin
printf '#!/bin/sh\ntee ../config | %s "$@"\n' "$(command -v curl)" >../bin/curl
chmod +x ../bin/curl
PATH=$PWD/../bin:$PATH
mail_by() { # MORE SETTINGS
    sed -i '/^notify/d' assay.yaml
    notify_by "{email_to: \"team@example.org, boss@example.org\", email_from: ci@example.org, smtp: \"smtp://127.0.0.1:$mail_port\"$1}"
}
told() { # WHAT
    rm -rf .assay
    assay notify ../one.json --branch main 2>&1 | steady | grep -v '^warning'
    got "$1"
    echo "curl is told: $(grep -E '^(ssl|mail-rcpt|user)' ../config | sed 's/:secret.*/:.../' | tr '\n' ' ')"
}
mail_by ''
slower
sim_gate >../report.txt 2>../err.txt
make_results
rm -f ../got/*
told "no login"
grep -h RCPT ../got/mail.1
ASSAY_SMTP_USER=ci told "a login, and a server without TLS"
mail_by ', smtp_tls: none'
ASSAY_SMTP_USER=ci told "a login, and no TLS asked for"
sed -i 's/127.0.0.1:[0-9]*/mail.example.org/' assay.yaml
assay notify ../one.json 2>&1 | grep -o 'smtp_tls: none .*'
